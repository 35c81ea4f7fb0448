import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getAddress } from 'viem';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { CallObject } from '../../../../src/chain/requests.ts';
import { ALICE, ETHER } from '../../../support/test-chain.ts';
import {
  CALLENV,
  type CallExtras,
  CallHarness,
  chainError,
  encodeCall,
  PROGRAM,
  REVERTER,
  UNUSED,
  withProgram,
} from '../call-harness.ts';

const from = bytesToHex(ALICE);
const hex = (value: bigint): string => `0x${value.toString(16)}`;

describe('gas estimates', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  async function succeedsWith(gas: bigint, call: CallObject, extras?: CallExtras): Promise<boolean> {
    try {
      await harness.call({ ...call, gas: hex(gas) }, extras);
      return true;
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
  }

  test('a transfer to an account without code costs exactly 21,000', async () => {
    assert.equal(await harness.estimate({ from, to: UNUSED, value: '0x1' }), 21_000n);
    assert.equal(await harness.estimate({ from, to: UNUSED, value: '0x1', gasPrice: '0x77359400' }), 21_000n);
    assert.equal(await harness.estimate({ to: UNUSED, data: '0x' }), 21_000n);
    // A limit below a transfer's gas counts as absent.
    assert.equal(await harness.estimate({ from, to: UNUSED, gas: '0x1' }), 21_000n);
  });

  test('a transfer with an access list costs more than 21,000', async () => {
    const accessList = [{ address: UNUSED, storageKeys: [] }];
    const call = { from, to: UNUSED, value: '0x1', accessList };
    assert.ok((await harness.estimate(call)) >= 23_400n);
  });

  const CALLS: readonly (readonly [string, CallObject, CallExtras?])[] = [
    ['a read', { to: REVERTER, data: encodeCall('read()') }],
    ['a write', { to: REVERTER, data: encodeCall('write(uint256)', 5n) }],
    ['a write that earns a refund', { to: REVERTER, data: encodeCall('write(uint256)', 0n) }],
    [
      'an inner call that needs nearly all it is given (EIP-150)',
      { to: REVERTER, data: encodeCall('needInnerGas()') },
    ],
    ['calldata that costs the floor (EIP-7623)', { to: UNUSED, data: `0x${'01'.repeat(2000)}` }],
    ['a creation', { data: '0x60ff60005260206000f3' }],
    ['a call with value', { from, to: CALLENV, value: '0x1', data: encodeCall('callValue()') }],
    ['a loop', { to: REVERTER, data: encodeCall('burn(uint256)', 3_000_000n) }],
    [
      'two levels of calls',
      { to: PROGRAM },
      withProgram(`
        CALLDATASIZE 0 0 CALLDATACOPY
        ${encodeCall('needInnerGas()')} ${`0x1${'0'.repeat(56)}`} MUL 0 MSTORE
        0 0 4 0 0 ${REVERTER} GAS CALL ISZERO @failed JUMPI STOP failed: INVALID`),
    ],
  ];
  for (const [name, call, extras] of CALLS) {
    test(`${name}: at least the minimum, and at most 1.5 % above it`, async () => {
      const estimate = await harness.estimate(call, extras);
      assert.ok(await succeedsWith(estimate, call, extras), `${estimate} is too little`);
      // These calls succeed with any limit above the minimum: a failure means that the limit is below it.
      const less = estimate - (estimate * 15n) / 1000n - 1n;
      assert.ok(!(await succeedsWith(less, call, extras)), `${estimate} is too much: ${less} is enough`);
    });
  }

  test('code that reads the gas left gets enough gas', async () => {
    const call = { to: REVERTER, data: encodeCall('needGasLeft()') };
    assert.ok(await succeedsWith(await harness.estimate(call), call));
  });

  test('a call that cannot succeed fails with its own error, or with the allowance', async () => {
    const fails = (call: CallObject, message: string, extras?: CallExtras): Promise<void> =>
      assert.rejects(harness.estimate(call, extras), chainError('failed', message));
    await assert.rejects(
      harness.estimate({ to: REVERTER, data: encodeCall('revertRaw()') }),
      chainError('reverted', 'execution reverted', '0xc0ffee'),
    );
    await fails({ to: REVERTER, data: encodeCall('invalidOpcode()') }, 'invalid opcode: INVALID');
    await fails({ to: REVERTER, data: encodeCall('badJump()') }, 'invalid jump destination');
    await fails(
      { to: REVERTER, data: encodeCall('write(uint256)', 5n), gas: '0x55f0' },
      'gas required exceeds allowance (22000)',
    );
    await fails({ data: '0x', gas: '0x5300' }, 'gas required exceeds allowance (21248)');
    await fails(
      { to: UNUSED, data: `0x${'01'.repeat(1000)}`, gas: '0x9470' },
      'failed with 38000 gas: insufficient gas for floor data gas cost: have 38000, want 61000',
    );
    await fails(
      { to: REVERTER, data: encodeCall('burn(uint256)', 20_000_000n) },
      'gas required exceeds allowance (16777216)',
    );
    await fails(
      { from: UNUSED, to: CALLENV, value: '0x1', data: encodeCall('callValue()') },
      'failed with 16777216 gas: insufficient funds for gas * price + value: ' +
        'address 0x00000000000000000000000000000000000000eE have 0 want 1',
    );
  });

  test('the block gas limit, which may be overridden, is the default allowance', async () => {
    const call = { to: REVERTER, data: encodeCall('burn(uint256)', 100_000n) };
    const within = (gasLimit: string): Promise<bigint> =>
      harness.estimate(call, { blockOverrides: { gasLimit } });
    await assert.rejects(within('0xc350'), chainError('failed', 'gas required exceeds allowance (50000)'));
    assert.equal(await within('0x7fffffff'), await harness.estimate(call));
  });

  test('the move of a called precompile has no effect, and an invalid move is refused', async () => {
    const elsewhere = '0x0000000000000000000000000000000000123456';
    const identity = '0x0000000000000000000000000000000000000004';
    const moved = { stateOverrides: { [identity]: { movePrecompileToAddress: elsewhere } } };
    const call = { to: identity, data: `0x${'01'.repeat(64)}` };
    assert.equal(await harness.estimate(call, moved), await harness.estimate(call));
    await assert.rejects(
      harness.estimate(call, { stateOverrides: { [UNUSED]: { movePrecompileToAddress: elsewhere } } }),
      chainError('failed', `account ${getAddress(UNUSED)} is not a precompile`),
    );
  });

  test('the allowance is limited by the balance of the sender', async () => {
    const call = {
      from: UNUSED,
      to: REVERTER,
      data: encodeCall('burn(uint256)', 100_000n),
      gasPrice: '0x77359400',
    };
    const withBalance = (balance: bigint): CallExtras => ({
      stateOverrides: { [UNUSED]: { balance: hex(balance) } },
    });
    const price = 2_000_000_000n;
    await assert.rejects(
      harness.estimate(call, withBalance(50_000n * price + price - 1n)),
      chainError('failed', 'gas required exceeds allowance (50000)'),
    );
    const estimate = await harness.estimate(call, withBalance(ETHER));
    assert.ok(estimate > 121_000n && estimate < 130_000n);
    assert.equal(await harness.estimate(call, withBalance(200_000n * price)), estimate);
    await assert.rejects(harness.estimate(call), chainError('failed', 'insufficient funds for transfer'));
    await assert.rejects(
      harness.estimate(call, withBalance(1n)),
      chainError('failed', 'gas required exceeds allowance (0)'),
    );
    await assert.rejects(
      harness.estimate({ ...call, value: hex(ETHER) }, withBalance(ETHER)),
      chainError('failed', 'insufficient funds for transfer'),
    );
    await assert.rejects(
      harness.estimate(
        {
          ...call,
          blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
          maxFeePerBlobGas: hex(ETHER / 131_072n + 1n),
        },
        withBalance(ETHER),
      ),
      chainError('failed', 'insufficient funds for gas * price + value'),
    );
  });

  test('state and block overrides apply', async () => {
    const call = { to: REVERTER, data: encodeCall('read()') };
    const code = '0x6000ff';
    assert.ok((await harness.estimate(call, { stateOverrides: { [REVERTER]: { code } } })) > 21_000n);
    const loop = withProgram('loop: NUMBER 9 LT @loop JUMPI STOP');
    await assert.rejects(
      harness.estimate({ to: PROGRAM, gas: '0x30d40' }, { ...loop, blockOverrides: { number: '0xa' } }),
      chainError('failed', 'gas required exceeds allowance (200000)'),
    );
    assert.ok((await harness.estimate({ to: PROGRAM }, loop)) < 22_000n);
  });
});

test('before Osaka the pending block limits the estimate', async () => {
  const harness = await CallHarness.open({ revision: 'prague', gasLimit: 7_000_000n });
  const burn = (amount: bigint): CallObject => ({ to: REVERTER, data: encodeCall('burn(uint256)', amount) });
  assert.ok((await harness.estimate(burn(5_000_000n))) > 5_000_000n);
  await assert.rejects(
    harness.estimate(burn(8_000_000n)),
    chainError('failed', 'gas required exceeds allowance (7000000)'),
  );
  assert.ok((await harness.estimate({ ...burn(8_000_000n), gas: '0x989680' })) > 8_000_000n);
  await harness.opened.close();
  assert.deepEqual(harness.opened.faults, []);
});
