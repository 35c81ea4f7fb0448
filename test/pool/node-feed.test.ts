import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSync } from '../../src/pool/node-feed.ts';

test('readSync reads the eth_syncing results of all clients', () => {
  const claims: readonly (readonly [said: unknown, claim: unknown])[] = [
    [false, undefined],
    [null, undefined],
    ['false', undefined],
    [true, { target: undefined }],
    [{}, { target: undefined }],
    [{ startingBlock: '0x0', currentBlock: '0x5', highestBlock: '0x10' }, { target: 16n }],
    [{ currentBlock: '0x05', highestBlock: '0x0010' }, { target: 16n }],
    [{ currentBlock: '0x5', highestBlock: 'soon' }, { target: undefined }],
    [{ batchSeen: 7, messageOfProcessedBatch: 3 }, { target: undefined }],
  ];
  for (const [said, claim] of claims) assert.deepEqual(readSync(said), claim, JSON.stringify(said));
});
