/** Calls that fail before execution, with geth's messages (core/error.go, core/state_transition.go). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getAddress } from 'viem';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { CallObject } from '../../../src/chain/requests.ts';
import { ALICE, ETHER } from '../../support/test-chain.ts';
import { type CallExtras, CallHarness, chainError, UNUSED } from './call-harness.ts';

const ALICE_TEXT = getAddress(bytesToHex(ALICE));
const UNUSED_TEXT = getAddress(UNUSED);
const ZERO_TEXT = '0x0000000000000000000000000000000000000000';
const BLOB_HASH = `0x01${'00'.repeat(31)}`;
const AUTHORIZATION = {
  chainId: '0x0',
  address: UNUSED,
  nonce: '0x0',
  yParity: '0x0',
  r: '0x1',
  s: '0x1',
} as const;

describe('refused calls', () => {
  let harness: CallHarness;
  let berlin: CallHarness;
  let baseFee: bigint;
  before(async () => {
    berlin = await CallHarness.open({ revision: 'berlin' });
    harness = await CallHarness.open({ revision: 'osaka' });
    baseFee = harness.builder.head.header.baseFeePerGas ?? 0n;
  });
  after(async () => {
    await harness.opened.close();
    await berlin.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  /** The gas limit is always set because the message contains it. */
  const refuses = (call: CallObject, message: string, extras: CallExtras = {}): Promise<void> =>
    assert.rejects(
      harness.call({ gas: '0x186a0', ...call }, extras),
      chainError('failed', `err: ${message} (supplied gas ${BigInt(call.gas ?? '0x186a0')})`),
    );
  const from = bytesToHex(ALICE);

  test('insufficient funds', async () => {
    const funds = 'insufficient funds for gas * price + value: address';
    await refuses({ from: UNUSED, to: UNUSED, value: '0x1' }, `${funds} ${UNUSED_TEXT} have 0 want 1`);
    await refuses(
      { from: UNUSED, to: UNUSED, gasPrice: '0x77359400' },
      `${funds} ${UNUSED_TEXT} have 0 want 200000000000000`,
    );
    const balance = 10n * ETHER;
    await refuses(
      { from: UNUSED, to: UNUSED, maxFeePerGas: '0x77359400', value: '0x8ac7230489e80000' },
      `${funds} ${UNUSED_TEXT} have ${balance} want ${balance + 200000000000000n}`,
      { stateOverrides: { [UNUSED]: { balance: `0x${balance.toString(16)}` } } },
    );
    await refuses(
      { to: UNUSED, value: `0x${'f'.repeat(64)}` },
      `${funds} ${ZERO_TEXT} have 0 want ${2n ** 256n - 1n}`,
    );
    await refuses(
      { to: UNUSED, gasPrice: `0x${'f'.repeat(64)}` },
      `${funds} ${ZERO_TEXT} required balance exceeds 256 bits`,
    );
  });

  test('fee caps below the base fee or below the tip', async () => {
    await refuses(
      { from, to: UNUSED, maxFeePerGas: '0x1' },
      `max fee per gas less than block base fee: address ${ALICE_TEXT}, maxFeePerGas: 1, baseFee: ${baseFee}`,
    );
    await refuses(
      { from, to: UNUSED, gasPrice: '0x1' },
      `max fee per gas less than block base fee: address ${ALICE_TEXT}, maxFeePerGas: 1, baseFee: ${baseFee}`,
    );
    const tip = 'max priority fee per gas higher than max fee per gas: address';
    await refuses(
      { from, to: UNUSED, maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x3b9aca01' },
      `${tip} ${ALICE_TEXT}, maxPriorityFeePerGas: 1000000001, maxFeePerGas: 1000000000`,
    );
    await refuses(
      { from, to: UNUSED, maxPriorityFeePerGas: '0x1' },
      `${tip} ${ALICE_TEXT}, maxPriorityFeePerGas: 1, maxFeePerGas: 0`,
    );
  });

  test('gas below the intrinsic or floor gas', async () => {
    await refuses({ to: UNUSED, gas: '0x5207' }, 'intrinsic gas too low: have 20999, want 21000');
    await refuses({ to: UNUSED, gas: '0x0' }, 'intrinsic gas too low: have 0, want 21000');
    await refuses({ data: '0x', gas: '0xcf07' }, 'intrinsic gas too low: have 52999, want 53000');
    const accessList = [{ address: UNUSED, storageKeys: [BLOB_HASH] }];
    await refuses({ to: UNUSED, accessList, gas: '0x5208' }, 'intrinsic gas too low: have 21000, want 25300');
    // EIP-7623: 1,000 nonzero bytes cost 16 each as part of the total, and at least 40 each.
    const data = `0x${'01'.repeat(1000)}`;
    await refuses(
      { to: UNUSED, data, gas: '0xee47' },
      'insufficient gas for floor data gas cost: have 60999, want 61000',
    );
    assert.equal(await harness.call({ to: UNUSED, data, gas: '0xee48' }), '0x');
  });

  test('init code above the size limit', async () => {
    const data = `0x${'00'.repeat(49_153)}`;
    await refuses({ data, gas: '0x989680' }, 'max initcode size exceeded: code size 49153 limit 49152');
    assert.equal(await harness.call({ data: data.slice(0, -2), gas: '0x989680' }), '0x');
  });

  test('invalid blob hashes and blob fees', async () => {
    const call = { from, to: UNUSED };
    await assert.rejects(
      harness.call({ from, blobVersionedHashes: [BLOB_HASH] }),
      chainError('failed', 'blob transaction of type create'),
    );
    await refuses(
      { ...call, blobVersionedHashes: Array(7).fill(BLOB_HASH) },
      'blob transaction has too many blobs',
    );
    await refuses(
      { ...call, blobVersionedHashes: [`0x02${'00'.repeat(31)}`], authorizationList: [AUTHORIZATION] },
      'blob 0 has invalid hash version',
    );
    await refuses({ ...call, blobVersionedHashes: [] }, 'blob transaction missing blob hashes');
    await refuses(
      { ...call, blobVersionedHashes: [BLOB_HASH, `0x02${'00'.repeat(31)}`] },
      'blob 1 has invalid hash version',
    );
    await refuses(
      { ...call, blobVersionedHashes: [BLOB_HASH], maxFeePerBlobGas: '0x1' },
      `max fee per blob gas less than block blob gas fee: address ${ALICE_TEXT} blobGasFeeCap: 1, blobBaseFee: 5`,
      { blockOverrides: { blobBaseFee: '0x5' } },
    );
    assert.equal(await harness.call({ ...call, blobVersionedHashes: [BLOB_HASH] }), '0x');
    await refuses(
      { from: UNUSED, to: UNUSED, blobVersionedHashes: [BLOB_HASH], maxFeePerBlobGas: '0x5' },
      `insufficient funds for gas * price + value: address ${UNUSED_TEXT} have 0 want ${5 * 131072}`,
      { blockOverrides: { blobBaseFee: '0x5' } },
    );
  });

  test('invalid authorization lists', async () => {
    await assert.rejects(
      harness.call({ from, authorizationList: [AUTHORIZATION] }),
      chainError('failed', 'EIP-7702 transaction cannot be used to create contract'),
    );
    await refuses(
      { from, to: UNUSED, authorizationList: [] },
      `EIP-7702 transaction with empty auth list (sender ${ALICE_TEXT})`,
    );
    // An unsigned authorization is skipped, but paid for.
    const call = { from, to: UNUSED, authorizationList: [AUTHORIZATION] };
    await refuses({ ...call, gas: '0xb3af' }, 'intrinsic gas too low: have 45999, want 46000');
    assert.equal(await harness.call({ ...call, gas: '0xb3b0' }), '0x');
  });

  test('inconsistent fields, checked after the block and its overrides', async () => {
    const both = 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified';
    const call = { to: UNUSED, gasPrice: '0x0', maxFeePerGas: '0x0' };
    await assert.rejects(harness.call(call), chainError('failed', both));
    await assert.rejects(
      harness.call({ to: UNUSED, chainId: '0x1' }),
      chainError('failed', "chainId does not match node's (have=1, want=1337)"),
    );
    await assert.rejects(
      harness.call(call, { block: { kind: 'number', number: 99n } }),
      chainError('failed', 'header not found'),
    );
    await assert.rejects(
      harness.call(call, { blockOverrides: { withdrawals: [] } }),
      chainError('failed', 'block override "withdrawals" is not supported for this RPC method'),
    );
    await assert.rejects(
      harness.call(call, { blockOverrides: { beaconRoot: BLOB_HASH } }),
      chainError('failed', 'block override "beaconRoot" is not supported for this RPC method'),
    );
  });

  test('blob hashes and authorization lists before their fork', async () => {
    const call = { from, to: UNUSED };
    assert.equal(await harness.call({ ...call, accessList: [] }), '0x');
    const kinds: readonly (readonly [CallObject, string])[] = [
      [{ blobVersionedHashes: [BLOB_HASH] }, 'blob'],
      [{ authorizationList: [] }, 'setcode'],
    ];
    for (const [list, kind] of kinds) {
      await assert.rejects(
        berlin.call({ ...call, gas: '0x186a0', ...list }),
        chainError(
          'failed',
          `err: transaction type not supported: ${kind} tx (sender ${ALICE_TEXT}) (supplied gas 100000)`,
        ),
      );
    }
  });

  test('missing blocks', async () => {
    const at = (block: NonNullable<CallExtras['block']>): Promise<string> =>
      harness.call({ to: UNUSED }, { block });
    await assert.rejects(at({ kind: 'number', number: 4n }), chainError('failed', 'header not found'));
    await assert.rejects(at({ kind: 'number', number: 2n ** 64n }), chainError('failed', 'header not found'));
    await assert.rejects(
      at({ kind: 'hash', hash: BLOB_HASH, requireCanonical: false }),
      chainError('failed', 'header for hash not found'),
    );
  });
});
