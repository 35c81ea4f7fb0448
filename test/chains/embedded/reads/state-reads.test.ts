/** State reads from cached answers equal reads from the store. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { BlockReference } from '../../../../src/chain/requests.ts';
import { EngineState } from '../../../../src/chains/embedded/reads/state-reads.ts';
import { StoredBlocks } from '../../../../src/chains/embedded/reads/stored-blocks.ts';
import { type ChainReader, openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { ALICE } from '../../../support/test-chain.ts';
import { BENEFICIARY, CALLENV, CallHarness, REVERTER, STORED_VALUES, UNUSED } from '../call-harness.ts';

const PROOF_DEPTH = 10;
const SLOT_0 = `0x${'00'.repeat(32)}`;
const SLOT_1 = `0x${'00'.repeat(31)}01`;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

const block = fc.oneof(
  fc.constant(LATEST),
  fc
    .integer({ min: 0, max: 3 })
    .map((number): BlockReference => ({ kind: 'number', number: BigInt(number) })),
);
const address = fc.constantFrom(bytesToHex(ALICE), bytesToHex(BENEFICIARY), REVERTER, CALLENV, UNUSED);
const read = fc.tuple(fc.constantFrom('balance', 'nonce', SLOT_0, SLOT_1), address, block);

function ask(state: EngineState, kind: string, account: string, at: BlockReference): string {
  if (kind === 'balance') return state.getBalance(account, at);
  return kind === 'nonce' ? state.getTransactionCount(account, at) : state.getStorageAt(account, kind, at);
}

describe('reads of state', () => {
  let harness: CallHarness;
  let reader: ChainReader;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
    reader = openChainReader(harness.opened.store);
  });
  after(async () => {
    await reader.close();
    await harness.opened.close();
  });

  const openState = (): EngineState => new EngineState(new StoredBlocks(reader), PROOF_DEPTH);

  test('return the same values from the cache as from the store, in any order and at any block', () => {
    const known = openState();
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 30 }), (reads) => {
        for (const [kind, account, at] of reads)
          assert.equal(ask(known, kind, account, at), ask(openState(), kind, account, at));
      }),
      { numRuns: countRuns(100) },
    );
  });

  test('are of the requested block', () => {
    const state = openState();
    for (let round = 0; round < 2; round++) {
      STORED_VALUES.forEach((value, i) => {
        const at: BlockReference = { kind: 'number', number: BigInt(i + 1) };
        assert.equal(BigInt(JSON.parse(state.getStorageAt(REVERTER, SLOT_0, at))), value);
      });
    }
    assert.notEqual(
      state.getBalance(bytesToHex(ALICE), { kind: 'number', number: 1n }),
      state.getBalance(bytesToHex(ALICE), LATEST),
    );
  });
});
