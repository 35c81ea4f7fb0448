/** Required and forbidden constructs in the sources. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { PROGRAM_SOURCES } from '../support/program-sources.ts';

function textOf(name: string): string {
  return PROGRAM_SOURCES.find((source) => source.name === name)?.text ?? assert.fail(`there is no ${name}`);
}

test('secrets and the admin key are compared in constant time, as digests of equal length', () => {
  for (const name of ['src/access/credentials.ts', 'src/admin/access.ts', 'src/admin/api/api-access.ts']) {
    const text = textOf(name);
    assert.equal(text.match(/timingSafeEqual\(/g)?.length, 1, name);
    assert.match(
      text,
      /timingSafeEqual\((hashCredential\(shown\), keyHash|digest, known|Buffer\.from\(hashApiKey\(secret\), 'hex'\), )/,
      name,
    );
  }
  // Values stored as hashes are compared nowhere else.
  for (const { name, text } of PROGRAM_SOURCES)
    assert.doesNotMatch(text, /secretHash\s*[!=]==(?!\s*undefined)/, name);
});

test('no source evaluates text as code or starts other programs', () => {
  for (const { name, text } of PROGRAM_SOURCES) {
    // Lua scripts are sent unchanged to the server of keys.
    const own = text.replace('this.#redis.eval(', '');
    assert.ok(!/\beval\(|new Function\(|node:vm|node:child_process/.test(own), name);
  }
});

/** Nested repetitions whose inner part begins with a character that the outer one cannot otherwise begin with, so a text matches in one way only. */
const UNAMBIGUOUS: ReadonlySet<string> = new Set([
  // A dot ends each round, and no round contains one.
  '^(([a-z0-9_-]+\\.)*localhost\\.?|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d{1,5})?$',
  '^(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*\\.?$',
]);
const LITERAL =
  /(?<=[=(,:?&|!]\s*|return\s+|^\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[dgimsuy]*/gm;

/** Whether a group repeats without bound and contains such a repetition. */
function findNested(pattern: string): boolean {
  const bare = pattern.replace(/\\./g, 'a').replace(/\[[^\]]*\]/g, 'a');
  const stack: boolean[] = [];
  let nested = false;
  for (let i = 0; i < bare.length; i++) {
    const rest = bare.slice(i);
    if (bare[i] === '(') stack.push(false);
    else if (bare[i] === ')') {
      const repeats = stack.pop() ?? false;
      const isRepeated = /^\)(?:[*+]|\{\d+,\})/.test(rest);
      if (repeats && isRepeated) nested = true;
      if ((repeats || isRepeated) && stack.length > 0) stack[stack.length - 1] = true;
    } else if (/^(?:[*+]|\{\d+,\})/.test(rest) && bare[i - 1] !== '(' && stack.length > 0) {
      stack[stack.length - 1] = true;
    }
  }
  return nested;
}

test('no pattern takes exponential time: none repeats a repetition ambiguously', () => {
  assert.ok(
    findNested('^(a+)+$') && findNested('((a|b)*c?)*') && findNested('(a{2,})*') && !findNested('(ab)+c*'),
  );
  let patterns = 0;
  const found: string[] = [];
  for (const { text } of PROGRAM_SOURCES) {
    for (const [, pattern = ''] of text.matchAll(LITERAL)) {
      patterns++;
      if (findNested(pattern) && !UNAMBIGUOUS.has(pattern)) found.push(pattern);
    }
  }
  assert.ok(patterns > 100, `only ${patterns} patterns were found`);
  assert.deepEqual([...new Set(found)], []);
});

test('a worker starts only as a child of the service', () => {
  const main = join(ROOT, 'build', 'src', 'cli', 'main.js');
  for (const env of [{}, { NODE_UNIQUE_ID: '1' }]) {
    const { status, stderr } = spawnSync(process.execPath, [main, 'worker'], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      timeout: 60_000,
    });
    assert.notEqual(status, 0);
    assert.notEqual(stderr, '');
  }
});
