/**
 * Puts the program together as it runs: few files instead of 500, which is a third of the time that a start takes. Modules that
 * are loaded on demand stay files of their own, and packages stay where they are but for two that every start needs a small
 * part of.
 */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { MAIN, PROGRAM, ROOT } from './program-files.ts';

/** One folder for all, as deep as their sources are: they find files beside them, and those of the repository, from there. */
const MODULES = dirname(MAIN);
const PACKAGES_INSIDE: readonly string[] = ['zod', '@noble/hashes'];

/** What modules read from beside them, by its place in a build of single modules. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['build/src/evm/core.wasm', join(PROGRAM, 'evm/core.wasm')],
  ['build/src/admin/page', join(MODULES, 'page')],
]);

const { metafile } = await build({
  entryPoints: [join(ROOT, 'src/cli/main.ts'), join(ROOT, 'src/engine/execution/worker.ts')],
  outdir: MODULES,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  metafile: true,
  absWorkingDir: ROOT,
  logLevel: 'warning',
  plugins: [
    {
      name: 'packages outside',
      setup({ onResolve }) {
        onResolve({ filter: /^[^.#/]/ }, ({ path, kind }) =>
          kind === 'entry-point' ||
          PACKAGES_INSIDE.some((name) => path === name || path.startsWith(`${name}/`))
            ? undefined
            : { path, external: true },
        );
      },
    },
  ],
});
// What has not changed keeps its name, so that a program that runs goes on finding it.
const made = new Set(Object.keys(metafile.outputs).map((path) => join(ROOT, path)));
for (const { name } of readdirSync(MODULES, { withFileTypes: true }).filter((entry) => entry.isFile())) {
  if (!made.has(join(MODULES, name))) rmSync(join(MODULES, name));
}
for (const [from, to] of FILES) cpSync(join(ROOT, from), to, { recursive: true });
