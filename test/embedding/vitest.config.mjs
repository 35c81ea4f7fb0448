// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default { test: { include: ['tests/*.spec.mjs'], testTimeout: 60_000, hookTimeout: 60_000 } };
