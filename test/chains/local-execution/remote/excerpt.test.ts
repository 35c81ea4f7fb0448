import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateKeys } from '../../../../src/chains/local-execution/proven/state-keys.ts';
import type { StateCache } from '../../../../src/chains/local-execution/proven/state-requests.ts';
import { addMissing } from '../../../../src/chains/local-execution/remote/excerpt.ts';
import type { RemoteBlock } from '../../../../src/chains/local-execution/remote/remote-block.ts';

test('addMissing stops looking once more is missing than nodes prove', () => {
  let looked = 0;
  const states = { findAccount: () => void looked++, findSlot: () => void looked++ };
  const proven = { states, codes: { find: () => undefined } } as unknown as StateCache;
  const block = { at: {}, blockHashes: new Map() } as unknown as RemoteBlock;
  const keys = new StateKeys();
  for (let account = 0; account < 2_000; account++) keys.addAccount(`0x${account}`);
  const find = (most: number): StateKeys => {
    looked = 0;
    const missing = new StateKeys();
    for (const _ of addMissing(keys, block, proven, missing, most));
    return missing;
  };
  assert.equal(find(100).size, 101);
  assert.equal(looked, 101);
  assert.equal(find(2_000).size, 2_000);
  assert.equal(looked, 2_000);
});
