import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getAddress } from 'viem';
import { createAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { padLeft } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { StateOverrides } from '../../../../src/chain/requests.ts';
import { CallHarness, chainError, encodeCall, PROGRAM, REVERTER, UNUSED } from '../call-harness.ts';

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const IDENTITY = '0x0000000000000000000000000000000000000004';
const SHA256 = '0x0000000000000000000000000000000000000002';
const ELSEWHERE = '0x0000000000000000000000000000000000123456';

describe('state overrides', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  const read = async (stateOverrides: StateOverrides): Promise<bigint> =>
    BigInt(await harness.call({ to: REVERTER, data: encodeCall('read()') }, { stateOverrides }));
  const fails = (stateOverrides: StateOverrides, message: string): Promise<void> =>
    assert.rejects(harness.call({ to: UNUSED }, { stateOverrides }), chainError('failed', message));

  test('balance', async () => {
    const source = `${UNUSED} BALANCE 0 MSTORE 32 0 RETURN`;
    const balance = `0x${'f'.repeat(64)}`;
    assert.equal(BigInt(await harness.run(source)), 0n);
    assert.equal(await harness.run(source, {}, { stateOverrides: { [UNUSED]: { balance } } }), balance);
  });

  test('nonce: determines the address of a creation', async () => {
    const code = bytesToHex(assemble('0 0 0 CREATE 0 MSTORE 32 0 RETURN'));
    const created = await harness.call(
      { to: PROGRAM },
      { stateOverrides: { [PROGRAM]: { nonce: '0x1234', code } } },
    );
    const maker = hexToBytes(PROGRAM);
    assert.equal(created, bytesToHex(padLeft(createAddress(maker, 0x1234n), 32)));
  });

  test('code: replaced and removed', async () => {
    const call = { to: REVERTER, data: encodeCall('ok()') };
    const replaced = await harness.call(call, {
      stateOverrides: { [REVERTER]: { code: '0x602a60005260206000f3' } },
    });
    assert.equal(BigInt(replaced), 42n);
    assert.equal(await harness.call(call, { stateOverrides: { [REVERTER]: { code: '0x' } } }), '0x');
  });

  test('`stateDiff` changes single slots, and `state` replaces all slots', async () => {
    assert.equal(await read({}), 9n);
    assert.equal(await read({ [REVERTER]: { stateDiff: { [word(0n)]: word(77n) } } }), 77n);
    assert.equal(await read({ [REVERTER]: { stateDiff: { [word(1n)]: word(77n) } } }), 9n);
    assert.equal(await read({ [REVERTER]: { stateDiff: { [word(0n)]: word(0n) } } }), 0n);
    assert.equal(await read({ [REVERTER]: { state: { [word(0n)]: word(77n) } } }), 77n);
    assert.equal(await read({ [REVERTER]: { state: { [word(1n)]: word(77n) } } }), 0n);
    assert.equal(await read({ [REVERTER]: { state: {} } }), 0n);
    await fails(
      { [REVERTER]: { state: {}, stateDiff: {} } },
      `account ${getAddress(REVERTER)} has both 'state' and 'stateDiff'`,
    );
  });

  test('overrides of one call do not affect the next', async () => {
    assert.equal(await read({ [REVERTER]: { state: {} } }), 0n);
    assert.equal(await read({}), 9n);
  });

  test('a moved precompile leaves an ordinary account behind', async () => {
    const stateOverrides = {
      [IDENTITY]: { movePrecompileToAddress: ELSEWHERE, code: '0x602a60005260206000f3' },
    };
    const data = '0x1234';
    assert.equal(await harness.call({ to: IDENTITY, data }), data);
    assert.equal(await harness.call({ to: ELSEWHERE, data }), '0x');
    assert.equal(await harness.call({ to: ELSEWHERE, data }, { stateOverrides }), data);
    assert.equal(BigInt(await harness.call({ to: IDENTITY, data }, { stateOverrides })), 42n);
    // The next call finds the precompile at its own address again, even after a call that failed.
    await assert.rejects(harness.call({ to: REVERTER, data: encodeCall('badJump()') }, { stateOverrides }));
    assert.equal(await harness.call({ to: IDENTITY, data }), data);
    assert.equal(await harness.call({ to: ELSEWHERE, data }), '0x');
    // Any override turns a precompile into an ordinary account.
    assert.equal(
      await harness.call({ to: IDENTITY, data }, { stateOverrides: { [IDENTITY]: { balance: '0x1' } } }),
      '0x',
    );
  });

  test('invalid moves of precompiles are refused', async () => {
    await fails(
      { [UNUSED]: { movePrecompileToAddress: ELSEWHERE } },
      `account ${getAddress(UNUSED)} is not a precompile`,
    );
    await fails(
      { [IDENTITY]: { movePrecompileToAddress: ELSEWHERE }, [ELSEWHERE]: { balance: '0x1' } },
      `account ${getAddress(ELSEWHERE)} is already overridden`,
    );
    await fails(
      { [IDENTITY]: { movePrecompileToAddress: SHA256 }, [SHA256]: { movePrecompileToAddress: ELSEWHERE } },
      `account ${SHA256} is already overridden`,
    );
  });

  test('a delegation as code applies for the duration of a call', async () => {
    // A delegation is a special form of code (EIP-7702); an override with it acts like a signed authorization.
    const code = `0xef0100${REVERTER.slice(2)}`;
    const call = { to: UNUSED, data: encodeCall('ok()') };
    assert.equal(BigInt(await harness.call(call, { stateOverrides: { [UNUSED]: { code } } })), 42n);
  });
});
