import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileSink } from '../../src/observe/file-sink.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const OPTIONS = { maxBytes: 4_096, maxWrite: 16 };

test('all lines are written in order, including those at the end', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, 'log');
  const file = openSync(path, 'a');
  const sink = new FileSink(file, OPTIONS);
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i} ${'x'.repeat(i)}\n`);
  for (const line of lines) sink.write(line);
  while (readFileSync(path, 'utf8') !== lines.join('')) await new Promise((resolve) => setImmediate(resolve));
  sink.end('last\n');
  assert.equal(readFileSync(path, 'utf8'), `${lines.join('')}last\n`);
  closeSync(file);
});

test('text beyond the bound is dropped as a whole', (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, 'log');
  const file = openSync(path, 'a');
  const sink = new FileSink(file, OPTIONS);
  sink.write('y'.repeat(OPTIONS.maxBytes + 1));
  sink.end('kept\n');
  assert.equal(readFileSync(path, 'utf8'), 'kept\n');
  closeSync(file);
});

test('a full disk during a write does not prevent the process from exiting', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, () => {
  const module = new URL('../../src/observe/logger.js', import.meta.url);
  const script = `
    import { createLogger } from ${JSON.stringify(module.href)};
    const log = createLogger('info');
    for (let i = 0; i < 100; i++) log.error({ i, text: 'x'.repeat(3_000) }, 'message ' + i);
    process.exit(7);
  `;
  const full = openSync('/dev/full', 'w');
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', full],
    timeout: 60_000,
  });
  closeSync(full);
  assert.deepEqual([status, signal], [7, null]);
});
