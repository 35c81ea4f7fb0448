/** The package as npm packs it: its files, the packages that it loads, its declarations, and the examples that use it by name. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listComponents, renderBillOfMaterials, renderNotice } from '../../scripts/docs/components.ts';
import { renderIndex } from '../../scripts/docs/llms.ts';
import { LIBRARY_TYPES, PROGRAM, ROOT } from '../../scripts/program-files.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

type Package = {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: readonly string[];
};
const PACKAGE: Package = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Maximum size of the unpacked package, bytes. */
const MAX_UNPACKED_BYTES = 8_000_000;

const folder = makeTemporaryFolder();
const app = join(folder.path, 'app');
const installed = join(app, 'node_modules/portcullis');
after(() => folder.remove());

type Packed = { readonly files: readonly { readonly path: string; readonly size: number }[] };

/** Lists the files that `npm pack` includes, without the files of earlier builds, which `npm run package` removes. */
function listPacked(): Packed['files'] {
  const { stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(stdout || '[]') as readonly Packed[];
  assert.ok(packed, stderr);
  const current = new Set(readdirSync(join(PROGRAM, 'cli')).filter((name) => isCurrent(name)));
  return packed.files.filter(({ path }) => {
    const [, name] = /^build\/program\/cli\/([^/]+\.js)$/.exec(path) ?? [];
    return name === undefined || current.has(name);
  });
}

/** Names of modules that the entry points reach. */
const reached = new Set<string>();
function reach(name: string): void {
  if (reached.has(name)) return;
  reached.add(name);
  const text = readFileSync(join(PROGRAM, 'cli', name), 'utf8');
  for (const [, next = ''] of text.matchAll(/["']\.\/([\w-]+\.js)["']/g)) reach(next);
}
for (const entry of ['main.js', 'worker.js', 'index.js']) reach(entry);
const isCurrent = (name: string): boolean => reached.has(name);

before(() => {
  for (const { path } of listPacked()) cpSync(join(ROOT, path), join(installed, path), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'portcullis') symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
});

test('the package has the program, chains, types, documents and files of deploy, and nothing else', () => {
  const files = listPacked();
  const folders = new Set(files.map(({ path }) => path.split('/')[0]));
  const root = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const names = root.map(({ name }) => name);
  assert.deepEqual(
    [...folders].filter((name) => !names.includes(name as string)),
    ['build', 'chains', 'deploy', 'docs'],
  );
  const packed = new Set(files.map(({ path }) => path));
  for (const { path } of files.filter(({ path }) => path.startsWith('docs/') && path.endsWith('.md')))
    for (const [file] of readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdeploy\/[\w./-]*\.\w+/g))
      assert.ok(packed.has(file), `${path} names ${file}`);
  for (const { path } of files) assert.doesNotMatch(path, /\.map$|^src|^test|\.tsbuildinfo|node_modules/);
  let size = 0;
  for (const file of files) size += file.size;
  assert.ok(size < MAX_UNPACKED_BYTES, `${size} bytes`);
});

test('the program loads only packages that an installation brings', () => {
  const loaded = new Set<string>();
  for (const name of reached) {
    const text = readFileSync(join(PROGRAM, 'cli', name), 'utf8');
    for (const [, first, second] of text.matchAll(
      /^(?:import|export|\}).*? from "([^"]+)";$|\b(?:import|require\w*|createRequire\w*\(import\.meta\.url\))\("([^"]+)"\)/gm,
    )) {
      const specifier = (first ?? second) as string;
      if (specifier.startsWith('.')) continue;
      const bare = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
      if (!specifier.startsWith('node:') && !builtinModules.includes(specifier)) loaded.add(bare);
    }
  }
  assert.deepEqual(
    [...loaded].filter((name) => !(name in PACKAGE.dependencies)),
    [],
  );
  // Every dependency must be loaded by a module.
  assert.deepEqual(
    Object.keys(PACKAGE.dependencies).filter((name) => !loaded.has(name)),
    [],
  );
});

test('the declarations of the library need no package', () => {
  const files = readdirSync(LIBRARY_TYPES, { recursive: true, encoding: 'utf8' });
  const declarations = files.filter((file) => file.endsWith('.d.ts'));
  assert.ok(declarations.length >= 3);
  for (const file of declarations)
    assert.doesNotMatch(readFileSync(join(LIBRARY_TYPES, file), 'utf8'), /from '[^.]/, file);
});

test('NOTICE, the bill of materials and llms.txt are current', () => {
  const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
  assert.equal(read('NOTICE'), renderNotice(), 'run: npm run docs');
  assert.equal(read('sbom.cdx.json'), renderBillOfMaterials(), 'run: npm run docs');
  assert.equal(read('llms.txt'), renderIndex(), 'run: npm run docs');
  const names = new Set(listComponents().map(({ name }) => name));
  for (const name of [...Object.keys(PACKAGE.dependencies), 'zod', 'mcl-wasm', 'sonic-boom'])
    assert.ok(names.has(name), name);
});

test('the installed program says its version', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(installed, 'build/program/cli/main.js'), '--version'],
    {
      cwd: app,
      encoding: 'utf8',
    },
  );
  assert.equal(stdout, `${PACKAGE.version}\n`);
});

for (const [name, program, args] of [
  ['gateway.test.mjs', '', ['--test']],
  ['gateway.spec.mjs', 'node_modules/vitest/vitest.mjs', ['run', '--config', 'vitest.config.mjs']],
] as const)
  test(`the example ${name} passes beside the installed package`, () => {
    mkdirSync(join(app, 'tests'), { recursive: true });
    cpSync(join(ROOT, 'docs/examples', name), join(app, 'tests', name));
    if (program !== '')
      cpSync(join(ROOT, 'test/embedding/vitest.config.mjs'), join(app, 'vitest.config.mjs'));
    const run = spawnSync(
      process.execPath,
      program === '' ? [...args, join('tests', name)] : [join(app, program), ...args],
      { cwd: app, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: app } },
    );
    assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
    assert.match(run.stdout, /# pass 1|ℹ pass 1|1 passed/);
  });
