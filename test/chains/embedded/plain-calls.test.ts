/** The fast path for calls (sender, recipient, data, gas) and the general path have the same answer, error and gas. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { CallBytes } from '../../../packages/ethereum/primitives/call-bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type { BlockReference, CallObject, StateOverrides } from '../../../src/chain/requests.ts';
import type { ExecutionPool } from '../../../src/chains/embedded/execution/execution-pool.ts';
import { toCallBytes } from '../../../src/chains/embedded/execution/fast-path-job.ts';
import { runPlainCall } from '../../../src/chains/embedded/simulation/fast-path-call.ts';
import { StoredChain } from '../../../src/chains/embedded/simulation/simulated-chain.ts';
import { Simulator } from '../../../src/chains/embedded/simulation/simulator.ts';
import { openChainReader } from '../../../src/chains/embedded/store/chain-reader.ts';
import { VALID_INPUTS } from '../../packages/evm/interpreter/precompiles/inputs.ts';
import { countRuns } from '../../support/count-runs.ts';
import { limitTo } from '../../support/test-chain.ts';
import { CALLENV, CallHarness, encodeCall, REVERTER, UNUSED } from './call-harness.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const TIME_LIMIT_MS = 60_000;
/** Counts down from its calldata's first word, which it returns. */
const COUNTDOWN = '0x00000000000000000000000000000000000000c0';
/** Returns as many zeros as its calldata requests. */
const ZEROS = '0x00000000000000000000000000000000000000c1';
const ALLOC = {
  [COUNTDOWN]: { balance: '0', code: '0x6000355b60019003806003575060003560005260206000f3' },
  [ZEROS]: { balance: '0', code: '0x6000356000f3' },
};

const functions = [
  'ok()',
  'write(uint256)',
  'unknown()',
  'revertWithReason()',
  'panic()',
  'sender()',
  'blockNumber()',
];
const call: fc.Arbitrary<CallObject> = fc.record(
  {
    to: fc.constantFrom(CALLENV, REVERTER, UNUSED, ...[1, 2, 4, 5, 6, 8, 10, 0x100].map(addressOf)),
    from: fc.constantFrom(REVERTER, UNUSED, addressOf(0)),
    data: fc.oneof(
      fc.constantFrom(...functions).map((signature) => encodeCall(signature)),
      fc.uint8Array({ maxLength: 300 }).map(bytesToHex),
      fc.constantFrom(...VALID_INPUTS.values()).map(bytesToHex),
    ),
    gas: fc
      .oneof(
        fc.constantFrom(0n, 20_999n, 21_000n, 2n ** 32n, 2n ** 60n),
        fc.bigInt({ min: 0n, max: 200_000n }),
      )
      .map((gas) => `0x${gas.toString(16)}`),
  },
  { requiredKeys: ['to'] },
);
const block = fc.constantFrom<BlockReference>(
  LATEST,
  { kind: 'number', number: 1n },
  { kind: 'number', number: 3n },
);

/** Gas of all places: a call that takes long the first time moves to a thread. */
function countGas(pool: ExecutionPool): number {
  return pool.describe().places.reduce((sum, { gas }) => sum + gas, 0);
}

function addressOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

describe('fast-path calls', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka', alloc: ALLOC });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  /** Runs a call. @returns its answer or error, and the gas that was counted */
  async function ask(
    provided: CallObject,
    at: BlockReference,
    stateOverrides?: StateOverrides,
  ): Promise<unknown> {
    const { chain, pool } = harness.opened;
    const used = countGas(pool);
    const request = { call: provided, block: at, ...(stateOverrides !== undefined && { stateOverrides }) };
    try {
      const answer = await chain.execution.call(request, limitTo(TIME_LIMIT_MS));
      return { answer, gas: countGas(pool) - used };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      const { kind, message, data } = error;
      return { kind, message, data, gas: countGas(pool) - used };
    }
  }

  test('have the same answer, error and gas as on the general path', async () => {
    await fc.assert(
      fc.asyncProperty(call, block, async (provided, at) => {
        assert.deepEqual(await ask(provided, at), await ask(provided, at, {}));
      }),
      { numRuns: countRuns(400) },
    );
  });

  test('of a missing block fail as on the general path, and large results are complete', async () => {
    const missing: BlockReference = { kind: 'number', number: 1_000n };
    assert.deepEqual(await ask({ to: UNUSED }, missing), await ask({ to: UNUSED }, missing, {}));
    for (const size of [100_000, 131_072, 600_000]) {
      const { chain } = harness.opened;
      const request = {
        call: { to: ZEROS, data: `0x${size.toString(16).padStart(64, '0')}` },
        block: LATEST,
      };
      const answer = await chain.execution.call(request, limitTo(TIME_LIMIT_MS));
      const text =
        typeof answer === 'string' ? answer : Buffer.concat(await collect(answer.pieces)).toString();
      assert.equal(text, `"0x${'00'.repeat(size)}"`);
    }
  });

  test('that exceed a slice continue where heavy calls run', async () => {
    const data = `0x${(3_000_000).toString(16).padStart(64, '0')}`;
    const answer = await harness.call({ to: COUNTDOWN, data });
    assert.equal(answer, data);
    assert.ok(
      harness.opened.pool
        .describe()
        .places.some(({ where, executions }) => where === 'thread' && executions > 0),
    );
  });

  test('that are abandoned leave no state behind', () => {
    const reader = openChainReader(harness.opened.store);
    const simulator = new Simulator(new StoredChain(reader));
    const at = { blockNumber: reader.head.header.number, isPending: false, gasLimit: 10_000_000 };
    const run = (provided: CallObject, endsAt: number): unknown =>
      runPlainCall(
        simulator,
        toCallBytes({ call: provided, block: LATEST }) as CallBytes,
        at,
        at.gasLimit,
        endsAt,
      );
    const read = { to: REVERTER, data: encodeCall('ok()') };
    const endless = { to: COUNTDOWN, data: `0x${'ff'.repeat(32)}` };
    const expected = run(read, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 3; i++) {
      assert.equal(run(endless, Number.NEGATIVE_INFINITY), undefined);
      assert.equal(run(read, Number.POSITIVE_INFINITY), expected);
    }
    return reader.close();
  });
});

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(piece);
  return collected;
}
