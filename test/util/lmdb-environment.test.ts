/** Processes that open an environment while others write to it lose no commit. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { openCounter } from './lmdb-counter.ts';

const COUNTER = fileURLToPath(new URL('./lmdb-counter.js', import.meta.url));
const folder = makeTemporaryFolder();
after(() => folder.remove());

function start(name: string, times: number, readOnly = false): ChildProcess {
  return fork(COUNTER, [join(folder.path, name), String(times), readOnly ? 'read' : 'write']);
}

async function readExit(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit');
  return code as number | null;
}

test('processes that open an environment during writes lose no commit', async () => {
  const environment = openCounter(join(folder.path, 'many'));
  environment.write((table) => table.putSync('count', 0));
  // Each process opens and closes; without the gate a few of these openings undo a commit of the counting process.
  const children = [start('many', 5_000), start('many', 300, true)];
  assert.deepEqual(await Promise.all(children.map(readExit)), [0, 0]);
  environment.refresh();
  assert.equal(environment.tables.get('count'), 5_000);
  await environment.close();
});

test('a process killed in a transaction releases the gate', async () => {
  const environment = openCounter(join(folder.path, 'killed'));
  environment.write((table) => table.putSync('count', 0));
  for (let round = 0; round < 3; round++) {
    const child = start('killed', Number.POSITIVE_INFINITY);
    await once(child, 'message');
    child.kill('SIGKILL');
    await readExit(child);
    const before = environment.write((table) => table.get('count') ?? 0);
    environment.write((table) => table.putSync('count', before + 1));
    assert.equal(
      environment.write((table) => table.get('count')),
      before + 1,
    );
  }
  await environment.close();
});

test('a failed opening or write changes nothing, and releases the gate', async () => {
  const path = join(folder.path, 'failed');
  const first = openCounter(path);
  first.write((table) => table.putSync('count', 1));
  assert.throws(
    () =>
      first.write((table) => {
        table.putSync('count', 2);
        throw new Error('not this one');
      }),
    /not this one/,
  );
  assert.throws(() => openCounter(path, { refuse: true }), /refused/);
  assert.equal(await readExit(start('failed', 5)), 0);
  first.refresh();
  assert.equal(first.tables.get('count'), 6);
  await first.close();
  assert.equal(existsSync(join(path, 'data.mdb')), true);
});
