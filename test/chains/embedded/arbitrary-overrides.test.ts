/** Arbitrary overrides and numbers yield an answer or a chain error, and do not affect the next call. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type {
  AccountOverride,
  BlockOverrides,
  CallObject,
  StateOverrides,
} from '../../../src/chain/requests.ts';
import { executeJob } from '../../../src/chains/embedded/execution/execute-job.ts';
import type { CallJob } from '../../../src/chains/embedded/execution/job.ts';
import { StoredChain } from '../../../src/chains/embedded/simulation/simulated-chain.ts';
import { Simulator } from '../../../src/chains/embedded/simulation/simulator.ts';
import { type ChainReader, openChainReader } from '../../../src/chains/embedded/store/chain-reader.ts';
import { randomCodeBytes } from '../../fuzz/generate/raw-case.ts';
import { Random } from '../../fuzz/random.ts';
import { countRuns } from '../../support/count-runs.ts';
import { type OpenedChain, openBuiltChain } from '../../support/test-chain.ts';
import { buildCallChain, encodeCall, PROGRAM, REVERTER } from './call-harness.ts';

const RUNS: number = countRuns(500);
const MEMORY_LIMIT = 2 ** 20;

const quantity = (bits: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
      fc.constantFrom(0n, 1n, 2n ** BigInt(bits - 1), 2n ** BigInt(bits) - 1n),
    )
    .map((value) => `0x${value.toString(16)}`);
const word = fc
  .oneof(fc.nat(3).map(BigInt), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))
  .map((value) => `0x${value.toString(16).padStart(64, '0')}`);
const code = fc
  .tuple(fc.integer(), fc.nat(2000))
  .map(([seed, length]) => bytesToHex(randomCodeBytes(new Random(seed, 0, 0), 'osaka', length)));
const address = fc.oneof(
  fc.constantFrom(PROGRAM, REVERTER),
  fc.integer({ min: 0, max: 0x101 }).map((low) => `0x${low.toString(16).padStart(40, '0')}`),
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToHex),
  // A delegation (EIP-7702) of an account to another account or to itself.
);
const delegation = address.map((to) => `0xef0100${to.slice(2)}`);
const storage = fc.dictionary(word, word, { maxKeys: 4 });
const account: fc.Arbitrary<AccountOverride> = fc.record(
  {
    nonce: quantity(64),
    balance: quantity(256),
    code: fc.oneof(code, delegation),
    state: storage,
    stateDiff: storage,
    movePrecompileToAddress: address,
  },
  { requiredKeys: [] },
);
const overrides: fc.Arbitrary<StateOverrides> = fc
  .tuple(fc.dictionary(address, account, { maxKeys: 4 }), code)
  .map(([others, program]) => ({ ...others, [PROGRAM]: { code: program } }));
const accessList = fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 3 }) }), {
  maxLength: 3,
});
const call: fc.Arbitrary<CallObject> = fc.record(
  {
    to: fc.oneof({ weight: 3, arbitrary: fc.constant(PROGRAM) }, { weight: 1, arbitrary: address }),
    from: address,
    gas: quantity(63),
    value: quantity(256),
    nonce: quantity(64),
    gasPrice: quantity(256),
    data: fc.oneof(code, fc.uint8Array({ maxLength: 100 }).map(bytesToHex)),
    accessList,
    blobVersionedHashes: fc.array(word, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const block: fc.Arbitrary<BlockOverrides> = fc.record(
  {
    number: quantity(256),
    time: quantity(64),
    gasLimit: quantity(64),
    difficulty: quantity(256),
    prevRandao: word,
    baseFeePerGas: quantity(256),
    blobBaseFee: quantity(256),
    feeRecipient: address,
  },
  { requiredKeys: [] },
);

describe('arbitrary overrides', () => {
  let opened: OpenedChain;
  let reader: ChainReader;
  let simulator: Simulator;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'osaka' });
    opened = await openBuiltChain(genesis, builder);
    reader = openChainReader(opened.store);
    simulator = new Simulator(new StoredChain(reader), MEMORY_LIMIT);
  });
  after(async () => {
    await reader.close();
    await opened.close();
  });

  /** Runs at most a fixed number of slices, then abandons the execution, as for a client that disconnected. */
  function run(
    kind: CallJob['kind'],
    callObject: CallObject,
    stateOverrides?: StateOverrides,
    blockOverrides?: BlockOverrides,
  ): string | undefined {
    const execution = executeJob(simulator, {
      kind,
      store: opened.store,
      gasLimit: 30_000_000n,
      request: {
        blockNumber: reader.head.header.number,
        isPending: false,
        call: callObject,
        ...(stateOverrides !== undefined && { stateOverrides }),
        ...(blockOverrides !== undefined && { blockOverrides }),
      },
    });
    try {
      for (let slice = 0; slice < 50; slice++) {
        const step = execution.next();
        if (step.done === true) return step.value as string;
      }
      execution.return('' as never);
      return undefined;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  test('yield a result or a chain error, and leave no state behind', () => {
    const read: CallObject = { to: REVERTER, data: encodeCall('read()') };
    const natural = run('call', read);
    assert.notEqual(natural, undefined);
    fc.assert(
      fc.property(
        call,
        overrides,
        block,
        fc.constantFrom('call', 'estimate'),
        (object, state, blocks, kind) => {
          run(kind as CallJob['kind'], object, state, blocks);
          assert.equal(run('call', read), natural);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
