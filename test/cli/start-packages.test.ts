/** Module loading dominates the start-up time: a start must not load modules that are needed only later. */
import assert from 'node:assert/strict';
import { isAscii } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { MAIN, ROOT } from '../../scripts/program-files.ts';

const STATIC_IMPORT = /^(?:import|export) (?:[^'"]* from )?"([^"]+)";$/gm;
const ON_DEMAND = /import\("(\.[^"]+)"\)/g;
/** CommonJS packages, and files of them. */
const REQUIRED = /createRequire\d*\(import\.meta\.url\)\("([^"]+)"\)/g;
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+/;
/** Comments of the bundler that name the source of each part of a file. */
const OWN_SOURCE = /^\/\/ (src\/.*)$/gm;
const SOURCE = /^\/\/ node_modules\/(.*)$/gm;
const FOLDER = dirname(MAIN);

/** Lists the files that load together with one of the program's, except those of `import()`, and the packages that they load. */
function follow(entry: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const packages = new Set<string>();
  const files = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, target = ''] of [...text.matchAll(STATIC_IMPORT), ...text.matchAll(REQUIRED)]) {
      if (target.startsWith('.')) open.push(join(FOLDER, target));
      else if (!target.startsWith('node:')) packages.add(PACKAGE_NAME.exec(target)?.[0] ?? target);
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

/** Finds the file of a lazily loaded module. All files of the last build have the same time; those of earlier builds remain for a while. */
function find(name: string): string {
  const isIt = new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`);
  const { mtimeMs } = statSync(MAIN);
  const file = readdirSync(FOLDER)
    .filter((candidate) => isIt.test(candidate))
    .map((candidate) => join(FOLDER, candidate))
    .find((path) => statSync(path).mtimeMs === mtimeMs);
  assert.ok(file !== undefined, name);
  return file;
}

/** Lists the lazily loaded parts of the program, including those of other lazily loaded parts. */
function listOnDemand(): ReadonlySet<string> {
  const { mtimeMs } = statSync(MAIN);
  const built = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    .filter((path) => path.endsWith('.js') && statSync(path).mtimeMs === mtimeMs);
  const imports = built.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(ON_DEMAND)]);
  return new Set(imports.map(([, target]) => target as string));
}

/** Lists the paths of package sources that are bundled into these files. */
function listParts(files: readonly string[]): readonly string[] {
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(SOURCE)].map(([, path]) => path as string),
  );
}

test('the command line entry loads no packages', () => {
  const { files, packages } = follow(MAIN);
  assert.deepEqual(packages, []);
  assert.deepEqual(listParts(files), []);
});

test('serve loads only the packages that every network needs', () => {
  const { files, packages } = follow(find('serve'));
  assert.deepEqual(packages, ['lmdb', 'pino']);
  const inside = new Set(listParts(files).map((path) => PACKAGE_NAME.exec(path)?.[0]));
  assert.deepEqual([...inside].sort(), ['@noble/hashes', 'zod']);
  // The bundler puts modules that a start shares with the same lazily loaded parts into one file: each part adds one alone, and one with others.
  const parts = listOnDemand();
  assert.ok(parts.size > 0 && files.length <= 2 * parts.size, `${files.length} files, ${parts.size} parts`);
});

test('the tools for agents load only packages that every installation has', () => {
  const { files, packages } = follow(find('mcp'));
  const inside = new Set(listParts(files).map((path) => PACKAGE_NAME.exec(path)?.[0]));
  assert.ok(inside.has('@modelcontextprotocol/sdk') && inside.has('ox'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(
    packages.filter((name) => !(name in dependencies)),
    [],
  );
});

test('a start without embedded networks loads no engine', () => {
  const files = ['serve', 'load-config', 'node-parts'].flatMap((name) => follow(find(name)).files);
  const own = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(OWN_SOURCE)].map(([, path]) => path),
  );
  assert.ok(own.includes('src/chains/upstream/upstream-chain.ts'));
  assert.deepEqual(
    own.filter((path) =>
      /^(?:packages\/evm\/interpreter\/evm|src\/chains\/embedded\/(?:engine-chain|(?:execution|simulation)\/.*))\.ts$/.test(
        path ?? '',
      ),
    ),
    [],
  );
});

test('files loaded at start are ASCII, which V8 stores in one byte per character', () => {
  const files = ['serve', 'load-config', 'node-parts', 'engine-parts'].flatMap(
    (name) => follow(find(name)).files,
  );
  assert.deepEqual(
    files.filter((file) => !isAscii(readFileSync(file))),
    [],
  );
});

test('serve loads individual files of undici, not its entry point', () => {
  const targets = follow(find('node-parts')).files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(REQUIRED)].map(([, target = '']) => target),
  );
  assert.deepEqual([...new Set(targets.filter((target) => target.startsWith('undici')))].sort(), [
    'undici/lib/core/connect.js',
    'undici/lib/core/errors.js',
    'undici/lib/core/symbols.js',
    'undici/lib/dispatcher/pool.js',
    'undici/lib/llhttp/llhttp_simd-wasm.js',
  ]);
});

test('zod is bundled with one of its 64 locales', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
  const parts = listParts(files.map((name) => join(FOLDER, name)));
  assert.deepEqual(
    parts.filter((path) => path.startsWith('zod/v4/locales/')),
    ['zod/v4/locales/en.js'],
  );
});

test('lazily loaded modules load their own packages', () => {
  assert.ok(follow(find('load-config')).packages.includes('yaml'));
  assert.ok(follow(find('redis-cache')).packages.includes('iovalkey'));
  assert.ok(follow(find('node-parts')).packages.includes('undici'));
});
