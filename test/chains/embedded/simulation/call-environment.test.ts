/** Values of transaction, block and state that a call observes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checksumAddress, createAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { padLeft } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { BlockOverrides, BlockReference, CallObject } from '../../../../src/chain/requests.ts';
import { ALICE } from '../../../support/test-chain.ts';
import {
  BENEFICIARY,
  CALLENV,
  type CallExtras,
  CallHarness,
  chainError,
  encodeCall,
  PROGRAM,
  REVERTER,
  STORED_VALUES,
  UNUSED,
} from '../call-harness.ts';

/** The order in which the contract returns the fields. */
const FIELDS = [
  'coinbase',
  'timestamp',
  'number',
  'prevRandao',
  'gasLimit',
  'origin',
  'caller',
  'gasPrice',
  'value',
  'chainId',
  'baseFee',
  'blobBaseFee',
] as const;
type Environment = Record<(typeof FIELDS)[number], bigint>;

const latest: BlockReference = { kind: 'tag', tag: 'latest' };
const pending: BlockReference = { kind: 'tag', tag: 'pending' };

describe('the environment of a call', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  async function look(call: CallObject = {}, extras: CallExtras = {}): Promise<Environment> {
    const words = await harness.call({ to: CALLENV, data: encodeCall('environment()'), ...call }, extras);
    const values = FIELDS.map((name, i) => [name, BigInt(`0x${words.slice(2 + 64 * i, 66 + 64 * i)}`)]);
    return Object.fromEntries(values) as Environment;
  }

  test('has by default the zero address as caller, gas price 0 and no base fee', async () => {
    const { header } = harness.builder.head;
    assert.deepEqual(await look(), {
      coinbase: BigInt(bytesToHex(BENEFICIARY)),
      timestamp: header.timestamp,
      number: 3n,
      prevRandao: BigInt(bytesToHex(header.mixHash)),
      gasLimit: header.gasLimit,
      origin: 0n,
      caller: 0n,
      gasPrice: 0n,
      value: 0n,
      chainId: 1337n,
      baseFee: 0n,
      blobBaseFee: 1n,
    });
  });

  test('has the base fee and the effective price if the call has a price', async () => {
    const baseFee = harness.builder.head.header.baseFeePerGas as bigint;
    const from = bytesToHex(ALICE);
    const offers: readonly (readonly [CallObject, bigint])[] = [
      [{ gasPrice: '0x77359400' }, 2_000_000_000n],
      [{ maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x5' }, baseFee + 5n],
      [{ maxFeePerGas: `0x${(baseFee + 3n).toString(16)}`, maxPriorityFeePerGas: '0x5' }, baseFee + 3n],
    ];
    for (const [offer, gasPrice] of offers) {
      const seen = await look({ from, value: '0x7', gas: '0x30d40', ...offer });
      assert.equal(seen.baseFee, baseFee);
      assert.equal(seen.gasPrice, gasPrice);
      assert.equal(seen.value, 7n);
      assert.equal(seen.origin, BigInt(from));
      assert.equal(seen.caller, BigInt(from));
    }
  });

  test('has no blob base fee without a blob fee', async () => {
    const blobVersionedHashes = [`0x01${'00'.repeat(31)}`];
    assert.equal((await look({ blobVersionedHashes })).blobBaseFee, 0n);
    const from = bytesToHex(ALICE);
    assert.equal((await look({ from, blobVersionedHashes, maxFeePerBlobGas: '0x9' })).blobBaseFee, 1n);
  });

  test('at pending is that of the block after the head', async () => {
    const { header } = harness.builder.head;
    const seen = await look({}, { block: pending });
    assert.equal(seen.number, 4n);
    assert.equal(seen.timestamp, header.timestamp + 12n);
    assert.equal(seen.gasLimit, header.gasLimit);
    // geth's pending block has neither a coinbase nor a prevRandao; the head has both.
    assert.notEqual(BigInt(bytesToHex(header.mixHash)), 0n);
    assert.deepEqual([seen.coinbase, seen.prevRandao], [0n, 0n]);
    const stored = await harness.call({ to: REVERTER, data: encodeCall('read()') }, { block: pending });
    assert.equal(BigInt(stored), STORED_VALUES[2]);
    const priced = await look(
      { from: bytesToHex(ALICE), gasPrice: '0x77359400', gas: '0x30d40' },
      { block: pending },
    );
    const parentBaseFee = header.baseFeePerGas as bigint;
    assert.ok(priced.baseFee < parentBaseFee && priced.baseFee >= (parentBaseFee * 7n) / 8n);
  });

  test('at an old block has its time and state', async () => {
    for (const [i, value] of STORED_VALUES.entries()) {
      const { header } = harness.builder.blocks[i] as (typeof harness.builder.blocks)[number];
      const byNumber: BlockReference = { kind: 'number', number: header.number };
      const hash = bytesToHex(harness.builder.hashAt(i + 1));
      for (const block of [byNumber, { kind: 'hash', hash, requireCanonical: true } as const]) {
        assert.equal((await look({}, { block })).timestamp, header.timestamp);
        const stored = await harness.call({ to: REVERTER, data: encodeCall('read()') }, { block });
        assert.equal(BigInt(stored), value);
      }
    }
    const earliest: BlockReference = { kind: 'tag', tag: 'earliest' };
    assert.equal(await harness.call({ to: REVERTER, data: encodeCall('read()') }, { block: earliest }), '0x');
    for (const tag of ['safe', 'finalized'] as const) {
      assert.equal((await look({}, { block: { kind: 'tag', tag } })).number, 3n);
    }
  });

  test('has every block override', async () => {
    const word = `0x${'ab'.repeat(32)}`;
    const blockOverrides = {
      number: '0x64',
      time: '0x70000000',
      gasLimit: '0xffffffffffffffff',
      feeRecipient: bytesToHex(ALICE),
      prevRandao: word,
      baseFeePerGas: '0x9',
      blobBaseFee: '0x2a',
    };
    const call = { from: bytesToHex(ALICE), gasPrice: '0xa', gas: '0x30d40' };
    const seen = await look(call, { block: latest, blockOverrides });
    assert.equal(seen.number, 100n);
    assert.equal(seen.timestamp, 0x70000000n);
    assert.equal(seen.gasLimit, 2n ** 64n - 1n);
    assert.equal(seen.coinbase, BigInt(bytesToHex(ALICE)));
    assert.equal(seen.prevRandao, BigInt(word));
    assert.equal(seen.baseFee, 9n);
    assert.equal(seen.blobBaseFee, 42n);
    assert.equal((await look({}, { blockOverrides })).baseFee, 0n);
  });

  test('has hashes of earlier blocks, and none of the block itself or of later blocks', async () => {
    const hashOf = (number: string, extras: CallExtras = {}): Promise<string> =>
      harness.run(`${number} BLOCKHASH 0 MSTORE 32 0 RETURN`, {}, extras);
    const none = `0x${'00'.repeat(32)}`;
    assert.equal(await hashOf('2'), bytesToHex(harness.builder.hashAt(2)));
    assert.equal(await hashOf('0'), bytesToHex(harness.builder.hashAt(0)));
    assert.equal(await hashOf('3'), none);
    assert.equal(await hashOf('3', { block: pending }), bytesToHex(harness.builder.hashAt(3)));
    const block: BlockReference = { kind: 'number', number: 1n };
    assert.equal(await hashOf('2', { block, blockOverrides: { number: '0x9' } }), none);
    assert.equal(
      await hashOf('0', { block, blockOverrides: { number: '0x9' } }),
      bytesToHex(harness.builder.hashAt(0)),
    );
    // Numbers that a double cannot represent exactly.
    for (const number of [2n ** 53n + 2n, 2n ** 64n - 1n, 2n ** 256n - 1n]) {
      const overridden = { blockOverrides: { number: `0x${number.toString(16)}` } };
      assert.equal(await hashOf(`0x${(number - 1n).toString(16)}`, overridden), none);
    }
  });

  test('a call without `to` creates a contract, and its answer is the code', async () => {
    const initCode = `0x7f${'5b'.repeat(32)}60005260206000f3`;
    assert.equal(await harness.call({ data: initCode }), `0x${'5b'.repeat(32)}`);
    // Init code that returns its own address; Alice's nonce is 4 at this block.
    const own = await harness.call({ from: bytesToHex(ALICE), data: '0x3060005260206000f3' });
    assert.equal(own, bytesToHex(padLeft(createAddress(ALICE, 4n), 32)));
  });

  test('has `input` as calldata if `data` differs', async () => {
    const call = { to: REVERTER, input: encodeCall('ok()'), data: encodeCall('revertEmpty()') };
    assert.equal(BigInt(await harness.call(call)), 42n);
  });
});

test('a block with an overridden random value is executed with rules after the merge', async () => {
  const harness = await CallHarness.open({ revision: 'london', config: { shanghaiTime: 0 } });
  const call = { to: PROGRAM };
  const run = (code: string, blockOverrides: BlockOverrides): Promise<string> =>
    harness.call(call, { stateOverrides: { [PROGRAM]: { code } }, blockOverrides });
  const pushZero = '0x5f5ff3';
  await assert.rejects(run(pushZero, {}), chainError('failed', 'invalid opcode: PUSH0'));
  const prevRandao = `0x${'07'.repeat(32)}`;
  assert.equal(await run(pushZero, { prevRandao }), '0x');
  await harness.opened.close();
  assert.deepEqual(harness.opened.faults, []);
});

test('an estimate moves precompiles, with the rules that an overridden random value selects', async () => {
  const config = { shanghaiTime: 0, cancunTime: 0 };
  const harness = await CallHarness.open({ revision: 'london', config });
  const pointEvaluation = `0x${'0a'.padStart(40, '0')}`;
  const stateOverrides = { [pointEvaluation]: { movePrecompileToAddress: UNUSED } };
  const estimate = (blockOverrides: BlockOverrides): Promise<bigint> =>
    harness.estimate({ to: PROGRAM }, { stateOverrides, blockOverrides });
  const name = checksumAddress(hexToBytes(pointEvaluation));
  const refusal = chainError('failed', `account ${name} is not a precompile`);
  await assert.rejects(estimate({}), refusal);
  await assert.rejects(estimate({ difficulty: '0x0' }), refusal);
  assert.equal(await estimate({ prevRandao: `0x${'07'.repeat(32)}` }), 21_000n);
  await harness.opened.close();
  assert.deepEqual(harness.opened.faults, []);
});

test('before London fee market fields have no effect, and a block moved past London has base fee 0', async () => {
  const harness = await CallHarness.open({ revision: 'berlin', config: { londonBlock: 100 } });
  const call = { to: CALLENV, data: encodeCall('gasPrice()') };
  assert.equal(BigInt(await harness.call({ ...call, maxFeePerGas: '0x5' })), 0n);
  // The empty account cannot pay the fee.
  assert.ok((await harness.estimate({ ...call, from: UNUSED, maxFeePerGas: '0x5' })) > 21_000n);
  const from = bytesToHex(ALICE);
  const offer = { ...call, from, gas: '0x30d40', gasPrice: '0x5' };
  assert.equal(BigInt(await harness.call(offer)), 5n);
  const baseFee = { ...offer, data: encodeCall('baseFee()') };
  await assert.rejects(harness.call(baseFee), chainError('failed', 'invalid opcode: BASEFEE'));
  assert.equal(BigInt(await harness.call(baseFee, { blockOverrides: { number: '0x64' } })), 0n);
  // Fees apply to a block whose base fee is overridden, at every fork.
  await assert.rejects(
    harness.call(
      { ...call, from: UNUSED, gas: '0x30d40', maxFeePerGas: '0x5' },
      { blockOverrides: { baseFeePerGas: '0x1' } },
    ),
    /insufficient funds/,
  );
  await harness.opened.close();
  assert.deepEqual(harness.opened.faults, []);
});
