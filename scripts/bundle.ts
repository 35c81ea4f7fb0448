/**
 * Bundles the program into few files, which shortens a start by a third. Modules that are loaded on demand stay in separate files. `--clean` removes
 * the files of earlier builds, which `npm pack` would otherwise include.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundlePage, PAGE_FOLDER } from './bundle-page.ts';
import { copyDeclarations } from './packages/build-package.ts';
import { BUNDLED_FILE, LIBRARY_TYPES, MAIN, ROOT } from './program-files.ts';

/** Folder of all modules. It is as deep as the folders of the sources, because modules find files of the repository by relative paths. */
const MODULES = dirname(MAIN);
/** Packages in JavaScript of which the program uses a small part: 250 kB in the bundle, and 40 MB if they were installed. */
const PACKAGES_INSIDE: readonly string[] = ['zod', '@noble/curves', '@noble/hashes', '@opentelemetry'];

/**
 * Packages of which `portcullis mcp` uses a small part. They are bundled, because an installation of the SDK includes dependencies such as express,
 * which take more space than all other packages in total.
 */
const PACKAGES_OF_MCP: readonly string[] = [
  '@modelcontextprotocol/sdk',
  '@hono/node-server',
  'hono',
  'content-type',
  'ox',
  'abitype',
];

/** Packages that the SDK imports but `portcullis mcp` does not use: they validate forms that clients fill in, and convert schemas of Zod 3. */
const PACKAGES_ABSENT: readonly string[] = ['ajv', 'ajv-formats', 'zod-to-json-schema'];

/**
 * CommonJS packages, with the names that the program imports: they are loaded by `require`. For an `import` node scans all of their source for the
 * names that they export, with a lexer that V8 optimizes meanwhile: 100 ms of CPU and 37 MB on another thread. A name that is missing here fails the
 * build.
 */
const COMMON_JS: ReadonlyMap<string, readonly string[]> = new Map([
  ['cli-progress', ['SingleBar']],
  ['iovalkey', ['AbstractConnector', 'Redis', 'ReplyError']],
  ['pino', ['pino']],
  ['prom-client', ['AggregatorRegistry', 'Registry']],
  ['ws', ['WebSocket', 'WebSocketServer']],
  ['yaml', ['isMap', 'isPair', 'isScalar', 'LineCounter', 'parseDocument']],
]);

/** Packages from which the program loads single files, by the names that it imports: the package's own entry point loads all of it. */
const FILES_OF_PACKAGES: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  // This leaves out fetch, WebSocket, caches, mocks and the second copy of undici that node has: 3.2 MB of heap, 9 MB of resident memory.
  [
    'undici',
    {
      Pool: 'undici/lib/dispatcher/pool.js',
      buildConnector: 'undici/lib/core/connect.js',
      errors: 'undici/lib/core/errors.js',
    },
  ],
]);

/** Source of mcl.wasm. */
const MCL = 'node_modules/mcl-wasm/dist/mcl_c.js';

/** Files that modules read from beside them, by their paths in a build of single modules. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['build/src/engine/core.wasm', join(MODULES, 'core.wasm')],
  ['build/src/engine/mcl.wasm', join(MODULES, 'mcl.wasm')],
  [PAGE_FOLDER, join(MODULES, 'page-bundle')],
]);

/** Time after the last build that wrote a file until the file is removed, ms. Until then, a running program may load the file. */
const STALE_MS = process.argv.includes('--clean') ? 0 : 86_400_000;

const { outputFiles, metafile } = await build({
  entryPoints: [
    join(ROOT, 'src/cli/main.ts'),
    join(ROOT, 'src/chains/embedded/execution/worker.ts'),
    join(ROOT, 'src/embedding/index.ts'),
  ],
  outdir: MODULES,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // The bundler can drop unused parts of ECMAScript modules, but not of CommonJS modules.
  mainFields: ['module', 'main'],
  target: 'node20',
  sourcemap: true,
  write: false,
  metafile: true,
  logLevel: 'warning',
  plugins: [
    {
      name: 'packages outside',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^[^./]/ }, ({ path }) => {
          if (isOneOf(PACKAGES_INSIDE, path) || isOneOf(PACKAGES_OF_MCP, path)) return undefined;
          if (isOneOf(PACKAGES_ABSENT, path)) return { path, namespace: 'absent' };
          return COMMON_JS.has(path) || FILES_OF_PACKAGES.has(path)
            ? { path, namespace: 'required' }
            : { path, external: true };
        });
        onLoad({ filter: /^/, namespace: 'absent' }, ({ path }) => ({
          contents: `module.exports = class { constructor() { throw new Error('${path} is not bundled'); } };`,
        }));
        onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => {
          const names = COMMON_JS.get(path);
          const files = Object.entries(FILES_OF_PACKAGES.get(path) ?? {});
          const load = (target: string): string => `createRequire(import.meta.url)('${target}')`;
          return {
            contents: [
              "import { createRequire } from 'node:module';",
              ...(names === undefined ? [] : [`export const { ${names.join(', ')} } = ${load(path)};`]),
              ...files.map(([name, file]) => `export const ${name} = ${load(file)};`),
            ].join('\n'),
          };
        });
      },
    },
  ],
});
mkdirSync(MODULES, { recursive: true });
const now = new Date();
for (const { path, contents: made } of outputFiles) {
  const contents = path.endsWith('.js') ? escapeComments(made) : made;
  if (!isThere(path, contents)) {
    // The rename keeps readers from loading a partly written file.
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
  utimesSync(path, now, now);
}
const written = new Set(outputFiles.map(({ path }) => path));
for (const entry of readdirSync(MODULES, { withFileTypes: true })) {
  const path = join(MODULES, entry.name);
  if (!entry.isFile() || written.has(path)) continue;
  if (now.getTime() - statSync(path).mtimeMs >= STALE_MS) rmSync(path);
}
const pageInputs = await bundlePage();
for (const [from, to] of FILES) cpSync(join(ROOT, from), to, { recursive: true });
rmSync(LIBRARY_TYPES, { recursive: true, force: true });
copyDeclarations(join(ROOT, 'build/src/embedding/index.d.ts'), join(ROOT, 'build'), LIBRARY_TYPES);
writeFileSync(
  BUNDLED_FILE,
  `${JSON.stringify(listPackages([...Object.keys(metafile.inputs), ...pageInputs, MCL]))}\n`,
);

/** Lists the packages that files of `node_modules` belong to. */
function listPackages(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/**
 * Escapes non-ASCII characters, which esbuild leaves only in comments: one character beyond Latin-1 makes V8 store two bytes for each character of
 * the whole file.
 */
function escapeComments(contents: Uint8Array): Uint8Array {
  const text = Buffer.from(contents).toString();
  return Buffer.from(
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** Whether a module belongs to one of these packages. */
function isOneOf(packages: readonly string[], path: string): boolean {
  return packages.some((name) => path === name || path.startsWith(`${name}/`));
}

function isThere(path: string, contents: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
