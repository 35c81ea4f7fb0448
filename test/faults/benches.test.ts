/** Short runs of the benchmark programs: they complete, and their built-in checks hold. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';

const BENCH = join(import.meta.dirname, '../../bench');

type Output = { readonly code: number; readonly text: string };

/** Runs a program of `bench` to its end. */
function run(name: string, settings: Readonly<Record<string, string>>): Promise<Output> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...settings };
    execFile(process.execPath, [join(BENCH, `${name}.js`)], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
    });
  });
}

describe('benches with real nodes', { skip: ANVIL_SKIP }, () => {
  test('no request fails while nodes are killed in turn', async () => {
    const { code, text } = await run('restarts', { SECONDS: '7', KILL_EVERY_SECONDS: '2' });
    assert.match(text, /^0 requests failed over [1-9]\d* kills of nodes$/m, text);
    assert.equal(code, 0, text);
  });
});

const skip = findVectors('execution-apis') === undefined && SKIP_REASON;
test('a large answer is streamed', { skip }, async () => {
  const { code, text } = await run('large-answer', { READERS: '2', ROUNDS: '1' });
  assert.match(text, /copies a reader/, text);
  assert.ok(code === 0 || code === 1, text);
});
