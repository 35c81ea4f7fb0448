import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { privateKeyToAddress } from '../../../scripts/chains/secp256k1.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { EngineChain } from '../../../src/chains/embedded/engine-chain.ts';
import { ChainBuilder, signTransaction } from '../../support/chain-builder.ts';
import {
  ALICE,
  ALICE_KEY,
  createGenesis,
  limitTo,
  type OpenedChain,
  openBuiltChain,
} from '../../support/test-chain.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const BOB = privateKeyToAddress(new Uint8Array(32).fill(0xb0));
const DEFAULT_TIP = '"0xf4240"';
const GWEI = 10n ** 9n;

type History = {
  readonly oldestBlock: string;
  readonly reward?: readonly (readonly string[])[];
  readonly baseFeePerGas: readonly string[];
  readonly gasUsedRatio: readonly number[];
  readonly baseFeePerBlobGas: readonly string[];
  readonly blobGasUsedRatio: readonly number[];
};

async function readText(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function readHistory(
  chain: EngineChain,
  blockCount: number,
  newest: BlockReference,
  percentiles: readonly number[] = [],
): Promise<History> {
  const request = { blockCount, newest, percentiles };
  return JSON.parse(await readText(await chain.fees.getFeeHistory(request, limitTo(20_000)))) as History;
}

/** Opens a chain with one block per list of tips, whose transactions pay them, and runs the test. */
async function withTips(
  blocks: readonly (readonly bigint[])[],
  run: (chain: EngineChain) => Promise<void>,
  beneficiary: Uint8Array = BOB,
): Promise<void> {
  const genesis = createGenesis({ revision: 'cancun' });
  const builder = new ChainBuilder(genesis);
  let nonce = 0n;
  for (const tips of blocks) {
    const transactions = tips.map((tip) =>
      signTransaction(ALICE_KEY, {
        nonce: nonce++,
        to: BOB,
        gasLimit: 21_000n,
        maxPriorityFeePerGas: tip,
        maxFeePerGas: 10n * GWEI + tip,
      }),
    );
    await builder.add({ transactions, beneficiary });
  }
  const opened = await openBuiltChain(genesis, builder);
  try {
    await run(opened.chain);
  } finally {
    await opened.close();
  }
}

const suggest = async (chain: EngineChain): Promise<string> => chain.fees.getPriorityFee(limitTo(5_000));

describe('the suggested priority fee', () => {
  test('is the default if no block has a usable tip', async () => {
    await withTips([], async (chain) => assert.equal(await suggest(chain), DEFAULT_TIP));
    await withTips([[], []], async (chain) => assert.equal(await suggest(chain), DEFAULT_TIP));
    await withTips([[0n, 1n]], async (chain) => assert.equal(await suggest(chain), DEFAULT_TIP));
    await withTips([[GWEI, GWEI]], async (chain) => assert.equal(await suggest(chain), DEFAULT_TIP), ALICE);
  });

  test('is the 60th percentile of the three lowest tips of each block', async () => {
    // Index 5 * 60 / 100 of 5, 6, 7, 20, 21 and 22.
    const blocks = [
      [900n, 7n, 5n, 6n, 1n],
      [22n, 21n, 20n],
    ];
    await withTips(blocks, async (chain) => {
      assert.equal(await suggest(chain), '"0x14"');
      assert.equal(
        await chain.fees.getGasPrice(limitTo(5_000)),
        `"0x${(20n + baseFeeOf(chain)).toString(16)}"`,
      );
    });
  });

  test('is at most 500 gwei', async () => {
    await withTips([[900n * GWEI, 900n * GWEI]], async (chain) =>
      assert.equal(await suggest(chain), '"0x746a528800"'),
    );
  });

  test('uses 20 blocks, and one more for each block with a single sample', async () => {
    const full = [50n, 50n, 50n];
    const old = [70n, 70n, 70n];
    // 20 blocks have one sample each: 20 more are read, the 41st is not.
    const single = Array.from({ length: 20 }, () => [60n]);
    const more = Array.from({ length: 20 }, () => [80n]);
    await withTips(
      [...Array.from({ length: 30 }, () => old), ...Array.from({ length: 20 }, () => full)],
      async (chain) => assert.equal(await suggest(chain), '"0x32"'),
    );
    await withTips([...Array.from({ length: 30 }, () => [1_000n]), ...more, ...single], async (chain) =>
      assert.equal(await suggest(chain), '"0x50"'),
    );
  });
});

test('the suggested priority fee reads the oldest of the 20 blocks first', async () => {
  // The oldest block has one sample, and no other samples exist yet: one more block counts, the one with the highest tips.
  const threes = Array.from({ length: 19 }, (_, i) => [101n, 102n, 103n].map((tip) => tip + 3n * BigInt(i)));
  const blocks = [[1_000n, 1_001n, 1_002n], [100n], ...threes];
  // Index 60 * 60 / 100 of 100 to 157 and 1,000 to 1,002.
  await withTips(blocks, async (chain) => assert.equal(await suggest(chain), '"0x88"'));
});

function baseFeeOf(chain: EngineChain): bigint {
  return chain.blocks.getHeader(LATEST)?.baseFeePerGas ?? 0n;
}

describe('the fee history', () => {
  const genesis = createGenesis({ revision: 'cancun', gasLimit: 1_000_000n });
  let opened: OpenedChain;

  before(async () => {
    const builder = new ChainBuilder(genesis);
    const pay = (nonce: bigint, gas: bigint, tip: bigint): ReturnType<typeof signTransaction> =>
      signTransaction(ALICE_KEY, {
        nonce,
        gasLimit: gas,
        to: undefined,
        // INVALID uses all the gas.
        data: Uint8Array.of(0xfe),
        maxPriorityFeePerGas: tip,
        maxFeePerGas: 100n * GWEI,
      });
    await builder.add({
      transactions: [pay(0n, 100_000n, 30n), pay(1n, 300_000n, 10n), pay(2n, 100_000n, 20n)],
    });
    await builder.add();
    await builder.add({
      transactions: [
        signTransaction(ALICE_KEY, {
          type: 3,
          nonce: 3n,
          gasLimit: 21_000n,
          to: BOB,
          blobVersionedHashes: [Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))],
        }),
      ],
    });
    opened = await openBuiltChain(genesis, builder);
  });
  after(async () => {
    await opened.close();
    assert.deepEqual(opened.faults, []);
  });

  test('returns the tip at each percentile of the gas, in the order of tips', async () => {
    const { reward, oldestBlock, gasUsedRatio } = await readHistory(
      opened.chain,
      1,
      { kind: 'number', number: 1n },
      [0, 60, 60.1, 80, 80.1, 100],
    );
    assert.equal(oldestBlock, '0x1');
    assert.deepEqual(gasUsedRatio, [0.5]);
    // 300,000 gas at a tip of 10, 100,000 at 20, 100,000 at 30.
    assert.deepEqual(reward, [['0xa', '0xa', '0x14', '0x14', '0x1e', '0x1e']]);
  });

  test('has zero rewards for an empty block, and no rewards without percentiles', async () => {
    const newest: BlockReference = { kind: 'number', number: 2n };
    assert.deepEqual((await readHistory(opened.chain, 1, newest, [1, 2])).reward, [['0x0', '0x0']]);
    assert.equal((await readHistory(opened.chain, 1, newest)).reward, undefined);
  });

  test('ends with the fees of the next block, and begins no earlier than the genesis block', async () => {
    const { chain } = opened;
    const all = await readHistory(chain, 1_024, LATEST);
    assert.equal(all.oldestBlock, '0x0');
    assert.equal(all.gasUsedRatio.length, 4);
    assert.deepEqual(all.blobGasUsedRatio, [0, 0, 0, 1 / 6]);
    assert.equal(all.baseFeePerBlobGas.length, 5);
    assert.equal(`"${all.baseFeePerGas.at(-1)}"`, chain.fees.getBaseFee());
    assert.equal(`"${all.baseFeePerBlobGas.at(-2)}"`, chain.fees.getBlobBaseFee());
  });

  test('has an empty block for `pending`', async () => {
    const { chain } = opened;
    const pending = await readHistory(chain, 2, { kind: 'tag', tag: 'pending' }, [50]);
    assert.equal(pending.oldestBlock, '0x3');
    assert.equal(`"${pending.baseFeePerGas[1]}"`, chain.fees.getBaseFee());
    assert.deepEqual(pending.reward?.[1], ['0x0']);
    assert.equal(pending.gasUsedRatio[1], 0);
    assert.equal(pending.blobGasUsedRatio[1], 0);
  });

  test('is refused beyond the head', () => {
    const request = { blockCount: 1, newest: { kind: 'number', number: 4n }, percentiles: [] } as const;
    assert.throws(
      () => opened.chain.fees.getFeeHistory(request, limitTo(5_000)),
      new ChainError('failed', 'request beyond head block: requested 4, head 3'),
    );
  });
});

test('the base fee before London, and the blob base fee before Cancun, is null', async () => {
  for (const [revision, baseFee] of [
    ['berlin', 'null'],
    ['shanghai', '"0x342770c0"'],
  ] as const) {
    const genesis = createGenesis({ revision });
    const opened = await openBuiltChain(genesis, new ChainBuilder(genesis));
    assert.equal(opened.chain.fees.getBaseFee(), baseFee);
    assert.equal(opened.chain.fees.getBlobBaseFee(), 'null');
    assert.deepEqual(await readHistory(opened.chain, 1, LATEST), {
      oldestBlock: '0x0',
      baseFeePerGas: revision === 'berlin' ? ['0x0', '0x0'] : ['0x3b9aca00', '0x342770c0'],
      gasUsedRatio: [0],
      baseFeePerBlobGas: ['0x0', '0x0'],
      blobGasUsedRatio: [0],
    });
    await opened.close();
  }
});

test('a long fee history yields to the event loop, and ends when its client cancels', async () => {
  const blocks = Array.from({ length: 300 }, () => [5n]);
  await withTips(blocks, async (chain) => {
    const percentiles = Array.from({ length: 100 }, (_, i) => i);
    const request = { blockCount: 300, newest: LATEST, percentiles };
    const gone = limitTo(20_000);
    const provided = Promise.resolve(chain.fees.getFeeHistory(request, gone));
    gone.abort();
    let slots = 0;
    let isDone = false;
    const count = (): void => {
      slots++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await assert.rejects(provided, new ChainError('aborted', 'the caller has cancelled the request'));
    const text = await readText(await chain.fees.getFeeHistory(request, limitTo(20_000)));
    isDone = true;
    assert.ok(slots > 2, `${slots}`);
    const { reward } = JSON.parse(text) as History;
    assert.equal(reward?.length, 300);
    assert.ok(reward.every((row) => row.length === 100 && row.every((tip) => tip === '0x5')));
  });
});
