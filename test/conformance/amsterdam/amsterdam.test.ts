/** Short form of `npm run check -- amsterdam`. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { EVM_SKIP } from '../../geth/node/geth-program.ts';
import { type ChainSet, COMMITTED_SET, readChainSet } from './chain-set.ts';
import { type ImportedSet, importSet } from './import-set.ts';
import { makeChain } from './make-chain.ts';
import { refuseAltered } from './refuse-altered.ts';

const HEAD = '0x74b2c28e6e6cc18642d058bb8fc785d2698a8a95dfef9ae014151096db9b5563';
const SHORT = { every: 75, lists: 60 };

describe('blocks from geth across the Amsterdam fork', () => {
  let set: ChainSet;
  let imported: ImportedSet;
  before(async () => {
    set = readChainSet(COMMITTED_SET);
    imported = await importSet(set);
  });

  test('import with every root, access list and requests hash verified', () => {
    const { figures } = imported;
    assert.equal(figures.headHash, HEAD);
    assert.equal(figures.blocks, 300);
    assert.equal(figures.amsterdamBlocks, 280);
  });

  test('contain every transaction type, transfers, failed creations and builder requests', () => {
    const { types, transferLogs, failedCreations, builderDeposits, builderExits } = imported.figures;
    assert.ok(types.every((count) => count > 0));
    for (const count of [transferLogs, failedCreations, builderDeposits, builderExits]) assert.ok(count > 0);
  });

  test('are refused with any one alteration, and accepted without', async () => {
    const { headers, lists, faults } = await refuseAltered(set, imported.accessLists, SHORT);
    assert.deepEqual(faults, []);
    assert.ok(headers > 0 && lists > 0);
  });
});

test('freshly generated geth blocks import', { skip: EVM_SKIP }, async () => {
  const set = await makeChain({ seed: 5, blocks: 8, firstAmsterdam: 3 });
  const { figures } = await importSet(set);
  assert.equal(figures.amsterdamBlocks, 6);
});
