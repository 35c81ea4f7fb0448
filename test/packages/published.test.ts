/** Contents of the published packages: each works in an empty project, in Node and in a browser, by the examples of its README. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { buildPackage, PACKAGES, type PackageName } from '../../scripts/packages/build-package.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { launchBrowser, NO_BROWSER } from '../admin/browser.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A program and its output. */
const EXAMPLE = /```js\n(.*?)```\s+```text\n(.*?)```/gs;
/** Sizes of the tarballs, bytes; the pairing library is a peer of evm and not in it. */
const MAX_PACKED: Readonly<Record<PackageName, number>> = {
  ethereum: 200_000,
  evm: 400_000,
  proofs: 200_000,
};

/** Collects in a page what its scripts print. */
const RECORD_LINES = `globalThis.lines = []; console.log = (...values) => lines.push(values.map(String).join(' '));`;

/** Converts a line as Node prints it to `String` of its values: bigints without a suffix, arrays without their type. */
function toPlainText(line: string): string {
  return line.replace(/(?<=\d)n\b|Uint8Array\(\d+\) \[ | \]/g, '');
}

describe('published packages', () => {
  const project = makeTemporaryFolder();
  const modules = join(project.path, 'node_modules');
  let browser: Browser | undefined;

  before(async () => {
    mkdirSync(join(modules, '@portcullis'), { recursive: true });
    for (const name of PACKAGES) {
      const folder = join(modules, '@portcullis', name);
      await buildPackage(name, join(folder, 'dist'));
      for (const file of ['package.json', 'README.md'])
        cpSync(join(ROOT, 'packages', name, file), join(folder, file));
    }
    for (const name of ['@noble', 'mcl-wasm'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    if (NO_BROWSER === false) browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    project.remove();
  });

  const readExamples = (name: PackageName): readonly (readonly [code: string, output: string])[] =>
    [...readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8').matchAll(EXAMPLE)].map(
      ([, code = '', output = '']) => [code, output] as const,
    );

  for (const name of PACKAGES) {
    test(`${name}: the examples run in Node`, () => {
      const examples = readExamples(name);
      assert.ok(examples.length > 0);
      for (const [code, output] of examples) {
        const file = join(project.path, 'example.mjs');
        writeFileSync(file, code);
        assert.equal(execFileSync(process.execPath, [file], { encoding: 'utf8' }), output);
      }
    });

    test(`${name}: the examples run in a browser`, { skip: NO_BROWSER }, async () => {
      for (const [code, output] of readExamples(name)) {
        const { outputFiles } = await build({
          stdin: { contents: code, resolveDir: project.path },
          ...{ bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'error' },
        });
        const page = await (browser as Browser).newPage();
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(String(error)));
        await page.addScriptTag({ content: RECORD_LINES });
        await page.addScriptTag({ content: outputFiles[0]?.text ?? '', type: 'module' });
        const expected = output.trim().split('\n').map(toPlainText);
        let lines: string[] = [];
        await waitUntil(async () => {
          lines = await page.evaluate('lines');
          return lines.length >= expected.length || faults.length > 0;
        });
        assert.deepEqual(faults, []);
        assert.deepEqual(lines, expected);
        await page.close();
      }
    });

    test(`${name}: the tarball has only the module, its declarations, package.json and README.md`, () => {
      const folder = join(modules, '@portcullis', name);
      const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: folder,
        encoding: 'utf8',
      });
      const [{ size, files }] = JSON.parse(packed) as [{ size: number; files: { path: string }[] }];
      assert.ok(size < MAX_PACKED[name], `${size} bytes`);
      for (const { path } of files)
        assert.match(path, /^(?:package\.json|README\.md|dist\/(?:index\.js|[\w/-]+\.d\.ts))$/);
    });
  }

  test('the declarations compile in a project without libraries of Node or browsers', () => {
    const file = join(project.path, 'use.mts');
    writeFileSync(
      file,
      `import { createExecutor, type StateSource } from '@portcullis/evm';
import { bytesToHex } from '@portcullis/ethereum';
import { verifyBlockAnswer } from '@portcullis/proofs';
declare const state: StateSource;
const executor = createExecutor({ state, chain: { chainId: 1, fork: 'osaka' } });
export const output: Promise<string> = executor.call({}).then((result) => bytesToHex(result.output));
export const isVerified: boolean = verifyBlockAnswer({}, '0x').isVerified;
`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023',
      '--types',
      '',
    ];
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, file], {
      cwd: project.path,
      stdio: 'pipe',
      encoding: 'utf8',
    });
  });
});
