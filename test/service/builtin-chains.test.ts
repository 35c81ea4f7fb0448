/** The first start imports the built-in chains, and reports an import that takes long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { prepareBuiltinChain } from '../../src/service/builtin-chains.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

test('a long import of a built-in chain is reported once, and a later start reports nothing', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const log = { info: (...line: unknown[]) => void lines.push(line) };
  const prepare = async (): Promise<string> => {
    let isDone = false;
    const prepared = prepareBuiltinChain('devnet', folder.path, log).finally(() => {
      isDone = true;
    });
    // The mocked clock advances by a second in each turn of the event loop, of which an import takes many.
    while (!isDone) {
      await setImmediate();
      t.mock.timers.tick(1_000);
    }
    return prepared;
  };
  const store = await prepare();
  const expected = [[{ chain: 'devnet' }, 'importing a built-in chain (first start only) ...']];
  assert.deepEqual(lines, expected);
  assert.equal(await prepare(), store);
  assert.deepEqual(lines, expected);
});
