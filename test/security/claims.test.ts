/** SECURITY.md names a test for each claim. The named tests exist, and every test of this folder is named. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../../..');
const ROW = /^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm;
const REFERENCE = /`(test\/[\w./-]+\.test\.ts)` “([^”]+)”/g;
/** Title of a test, or a template of titles filled in from a list. */
const NAMED = /\b(?:test|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

type Reference = { readonly file: string; readonly name: string };

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const claims = [...read('SECURITY.md').matchAll(ROW)].map(([, number, , , tests = '']) => ({
  number: Number(number),
  tests: [...tests.matchAll(REFERENCE)].map(([, file = '', name = '']): Reference => ({ file, name })),
  rest: tests.replace(REFERENCE, '').replace(/[,\s]/g, ''),
}));

/** Whether a template matches the name, and the filled-in parts occur in the file. */
function isNamedBy(name: string, template: string, source: string): boolean {
  const pieces = template.split(/\$\{[^}]*\}/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const filled = new RegExp(`^${pieces.join('(.+)')}$`, 's').exec(name);
  return filled?.slice(1).every((part) => source.includes(part)) ?? false;
}

function findTest({ file, name }: Reference): boolean {
  const source = read(file);
  for (const [, quote, written = ''] of source.matchAll(NAMED)) {
    if (quote === '`' ? isNamedBy(name, written, source) : written.replace(/\\(.)/g, '$1') === name)
      return true;
  }
  return false;
}

test('claims are numbered, and each names a test', () => {
  assert.ok(claims.length >= 40, `only ${claims.length} claims`);
  for (const [i, { number, tests, rest }] of claims.entries()) {
    assert.equal(number, i + 1);
    assert.ok(tests.length > 0, `claim ${number} names no test`);
    assert.equal(rest, '', `claim ${number} has something that is no test`);
  }
});

test('each test named by a claim exists', () => {
  const missing = claims.flatMap(({ number, tests }) =>
    tests.filter((one) => !findTest(one)).map(({ file, name }) => `${number}: ${file}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('findTest does not find a title that no test has', () => {
  const file = 'test/server/fast-path-request.test.ts';
  assert.ok(findTest({ file, name: 'leaves to node: two lengths' }));
  assert.ok(!findTest({ file, name: 'leaves to node: three lengths' }));
  assert.ok(!findTest({ file, name: 'reads the head of a plain' }));
});

test('each test of this folder is named by a claim', () => {
  const named = claims.flatMap(({ tests }) => tests);
  const files = readdirSync(join(ROOT, 'test/security')).filter((name) => name.endsWith('.test.ts'));
  for (const file of files.map((name) => `test/security/${name}`)) {
    if (file === 'test/security/claims.test.ts') continue;
    const source = read(file);
    for (const [, quote, written = ''] of source.matchAll(NAMED)) {
      const isNamed = named.some(
        (one) =>
          one.file === file && (quote === '`' ? isNamedBy(one.name, written, source) : one.name === written),
      );
      assert.ok(isNamed, `${file}: ${written}`);
    }
  }
});
