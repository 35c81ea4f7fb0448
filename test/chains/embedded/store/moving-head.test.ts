/** A view of block N is block N's state, also while another process commits the blocks after it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { createStateReader } from '../../../../src/chains/embedded/state/state-reader.ts';
import { type ChainReader, openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { ADDRESSES, addressAt, balanceAfter, SLOTS, slotAfter, slotAt } from './state-of-block.ts';

const BLOCKS = 600;

/**
 * Compares the entire state, with a turn of the event loop (and so another LMDB snapshot) between any two reads. Half way through it waits for `halfway`.
 */
async function checkView(
  reader: ChainReader,
  block: number,
  halfway: () => Promise<unknown> = turn,
): Promise<void> {
  const state = createStateReader(reader, BigInt(block));
  for (let index = 0; index < ADDRESSES; index++) {
    if (index === ADDRESSES / 2) await halfway();
    const what = `account ${index} after block ${block}`;
    assert.equal(state.getAccount(addressAt(index))?.balance, balanceAfter(block, index), what);
    for (let slot = 0; slot < SLOTS; slot++) {
      await turn();
      const value = bytesToBigInt(state.getStorage(addressAt(index), slotAt(slot)));
      assert.equal(value, slotAfter(block, index, slot), `slot ${slot} of ${what}`);
    }
  }
}

test('views of a block do not change while another process moves the head', async (t) => {
  const folder = makeTemporaryFolder();
  const script = join(import.meta.dirname, 'state-writer.js');
  const writer = spawn(process.execPath, [script, folder.path, String(BLOCKS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(writer, 'exit');
  await Promise.race([once(writer.stdout, 'data'), exit]);
  const reader = openChainReader(folder.path);
  const headNumber = (): number => Number(reader.head.header.number);
  let views = 0;
  for (let head = headNumber(); head < BLOCKS; head = headNumber()) {
    const isOvertaken = async (): Promise<void> => {
      while (headNumber() <= head) {
        assert.equal(writer.exitCode, null, 'the writer goes on to the last block');
        await wait(1);
      }
    };
    await checkView(reader, head, isOvertaken);
    await checkView(reader, Math.floor(head / 2));
    views++;
  }
  assert.deepEqual(await exit, [0, null]);
  for (let block = 0; block <= BLOCKS; block += 7) await checkView(reader, block);
  t.diagnostic(`${views} views of the head were overtaken`);
  await reader.close();
  folder.remove();
});
