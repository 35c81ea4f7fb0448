import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import type { BlockReference, CallObject, StateOverrides } from '../../../../src/chain/requests.ts';
import { limitTo, type OpenedChain, openBuiltChain } from '../../../support/test-chain.ts';
import { buildCallChain, encodeCall, REVERTER } from '../call-harness.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PATIENCE_MS = 60_000;
const SENDER = '0x00000000000000000000000000000000000000aa';
const PROGRAM = '0x00000000000000000000000000000000000000cc';
const OTHER = '0x00000000000000000000000000000000000000dd';
const RICH = { [SENDER]: { balance: '0xde0b6b3a7640000' } };

const slot = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;
const withCode = (source: string, more: StateOverrides = {}): StateOverrides => ({
  ...more,
  [PROGRAM]: { code: bytesToHex(assemble(source)) },
});

describe('access lists', () => {
  const chains = new Map<string, OpenedChain>();
  before(async () => {
    for (const revision of ['berlin', 'prague', 'amsterdam'] as const) {
      chains.set(revision, await openBuiltChain(...(await buildCallChain({ revision }))));
    }
  });
  after(async () => {
    for (const opened of chains.values()) {
      await opened.close();
      assert.deepEqual(opened.faults, []);
    }
  });

  async function create(
    call: CallObject,
    stateOverrides: StateOverrides = {},
    block: BlockReference = LATEST,
    revision = 'prague',
  ): Promise<unknown> {
    const { chain } = chains.get(revision) as OpenedChain;
    const result = await chain.execution.createAccessList(
      { call, stateOverrides, block },
      limitTo(PATIENCE_MS),
    );
    return JSON.parse(result as string);
  }

  test('have the accessed accounts and slots, without sender, precompiles and a recipient without slots', async () => {
    const source = `2 SLOAD 1 SLOAD ${OTHER} BALANCE 4 BALANCE ${SENDER} BALANCE ${PROGRAM} EXTCODESIZE STOP`;
    assert.deepEqual(await create({ from: SENDER, to: PROGRAM }, withCode(source)), {
      accessList: [
        { address: PROGRAM, storageKeys: [slot(1), slot(2)] },
        { address: OTHER, storageKeys: [] },
      ],
      // 2 accounts, 2 slots, 6 warm accesses.
      gasUsed: `0x${(21_000 + 2 * 2_400 + 2 * 1_900 + 6 * 103).toString(16)}`,
    });
    assert.deepEqual(await create({ from: SENDER, to: OTHER }), { accessList: [], gasUsed: '0x5208' });
  });

  test('have slots that the call accesses only with the first list', async () => {
    // The call reads one slot when slot 1 is cold and another when the first list makes it warm; the final list has the second slot too.
    const source =
      'GAS 1 SLOAD POP GAS SWAP1 SUB 1000 LT @warm JUMPI 7 SLOAD POP STOP warm: 9 SLOAD POP STOP';
    const { accessList } = (await create({ to: PROGRAM }, withCode(source))) as {
      accessList: { storageKeys: string[] }[];
    };
    assert.ok(accessList[0] !== undefined && accessList[0].storageKeys.length >= 2);
  });

  test('retain a provided list, without accounts that are warm anyway', async () => {
    const accessList = [
      { address: OTHER, storageKeys: [slot(5)] },
      { address: SENDER, storageKeys: [slot(6)] },
    ];
    assert.deepEqual(await create({ from: SENDER, to: PROGRAM, accessList }, withCode('STOP')), {
      accessList: [{ address: OTHER, storageKeys: [slot(5)] }],
      gasUsed: '0x62d4',
    });
  });

  test('have a created contract only with its slots', async () => {
    const data = bytesToHex(assemble(`1 2 SSTORE ${OTHER} BALANCE 0 0 RETURN`));
    const created = (await create({ from: SENDER, data }, { [SENDER]: { nonce: '0x3' } })) as {
      accessList: { address: string; storageKeys: string[] }[];
    };
    assert.deepEqual(
      created.accessList.map(({ address, storageKeys }) => (address === OTHER ? OTHER : storageKeys)),
      created.accessList[0]?.address === OTHER ? [OTHER, [slot(2)]] : [[slot(2)], OTHER],
    );
  });

  test('of a failing call are returned with its error', async () => {
    const calls: readonly (readonly [string, string])[] = [
      ['3 SLOAD POP 0 0 REVERT', 'execution reverted'],
      ['3 SLOAD POP INVALID', 'invalid opcode: INVALID'],
      ['3 SLOAD POP 2 JUMP', 'invalid jump destination'],
    ];
    for (const [source, error] of calls) {
      const result = (await create({ to: PROGRAM, gas: '0x186a0' }, withCode(source))) as Record<
        string,
        unknown
      >;
      assert.deepEqual(result['accessList'], [{ address: PROGRAM, storageKeys: [slot(3)] }]);
      assert.equal(result['error'], error);
    }
    const reverted = (await create({ to: REVERTER, data: encodeCall('revertString()') })) as {
      error: string;
    };
    assert.equal(reverted.error, 'execution reverted');
  });

  test('a creation by a sender with the maximum nonce runs from Amsterdam on', async () => {
    const data =
      '0x60017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0160005269021e19e0c9bab240000060015d6040600060c26000600070e935c70f5e83309b3626fc22cc256ee49cfa60a05260346000fd';
    const overrides = { '0x0000000000000000000000000000000000000000': { nonce: '0xffffffffffffffff' } };
    // geth's answer.
    const reverted = { accessList: [], error: 'execution reverted', gasUsed: '0x7440' };
    assert.deepEqual(await create({ data }, overrides, LATEST, 'amsterdam'), reverted);
    const refused = { accessList: [], error: 'nonce uint64 overflow', gasUsed: '0xcf0e' };
    assert.deepEqual(await create({ data: '0x00' }, overrides), refused);
  });

  test('that do not converge are an error before the time limit', async () => {
    // The call accesses the slot only if gas remains; a list that contains the slot costs that gas, so the access disappears.
    await assert.rejects(
      create({ to: PROGRAM, gas: '0x639c' }, withCode('GAS 300 LT @go JUMPI STOP go: 3 SLOAD STOP')),
      { kind: 'failed', message: /^the access list does not converge: / },
    );
  });

  test('at a stack underflow have the operand that geth reads as address or slot', async () => {
    const other = [{ address: OTHER, storageKeys: [] }];
    const calls: readonly (readonly [string, string, unknown])[] = [
      ['3 SSTORE', '1 <=> 2', [{ address: PROGRAM, storageKeys: [slot(3)] }]],
      ['SSTORE', '0 <=> 2', []],
      [`${OTHER} EXTCODECOPY`, '1 <=> 4', other],
      [`0 0 0 ${OTHER} 0 CALL`, '5 <=> 7', other],
      [`0 0 0 0 ${OTHER} 0 CALLCODE`, '6 <=> 7', other],
      [`0 0 0 ${OTHER} 0 STATICCALL`, '5 <=> 6', other],
      [`0 0 0 ${OTHER} 0 DELEGATECALL`, '5 <=> 6', other],
      [`0 0 ${OTHER} 0 CALL`, '4 <=> 7', []],
    ];
    for (const [source, height, expected] of calls) {
      const { accessList, error } = (await create({ to: PROGRAM, gas: '0x186a0' }, withCode(source))) as {
        accessList: unknown;
        error: string;
      };
      assert.deepEqual(accessList, expected, source);
      assert.equal(error, `stack underflow (${height})`, source);
    }
  });

  test('overridden precompiles are treated as precompiles, and are not moved', async () => {
    const identity = '0x0000000000000000000000000000000000000004';
    const overrides = { [identity]: { code: '0xfe' } };
    assert.deepEqual(await create({ to: identity }, overrides), { accessList: [], gasUsed: '0x5217' });
    await assert.rejects(create({}, { [identity]: { movePrecompileToAddress: OTHER } }), {
      kind: 'failed',
      message: 'account 0x0000000000000000000000000000000000000004 is not a precompile',
    });
  });

  test('fees are completed and checked like in geth', async () => {
    const price = 'GASPRICE SLOAD STOP';
    const slotsOf = async (fees: CallObject, revision?: string, overrides = RICH): Promise<unknown> => {
      const result = await create(
        { from: SENDER, to: PROGRAM, gas: '0x186a0', ...fees },
        withCode(price, overrides),
        LATEST,
        revision,
      );
      return (result as { accessList: { storageKeys: string[] }[] }).accessList[0]?.storageKeys.map(Number);
    };
    const baseFee = readBaseFee();
    assert.deepEqual(await slotsOf({}), [0]);
    assert.deepEqual(await slotsOf({ gasPrice: '0x77359400' }), [2_000_000_000]);
    assert.deepEqual(await slotsOf({ maxPriorityFeePerGas: '0x7' }), [baseFee + 7]);
    // The default maximum exceeds 256 bits; geth executes with its lower 256 bits.
    await assert.rejects(
      async () => slotsOf({ maxPriorityFeePerGas: `0x${'f'.repeat(63)}e` }),
      /0x0c8b797f16dbcdb33248505a6120c9f743a5fc2c1de2e87d60310d267abd258c err: max priority fee per gas higher than max fee per gas: address 0x[0-9a-fA-F]{40}, maxPriorityFeePerGas: \d{78}, maxFeePerGas: \d{1,12}$/,
    );
    assert.deepEqual(await slotsOf({ maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x7' }), [
      baseFee + 7,
    ]);
    assert.deepEqual(await slotsOf({ gasPrice: '0x7' }, 'berlin'), [7]);
    const problems: readonly (readonly [CallObject, string, string?])[] = [
      [{ gasPrice: '0x0' }, 'gasPrice must be non-zero after london fork'],
      [{ maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }, 'maxFeePerGas must be non-zero'],
      [
        { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
        'maxFeePerGas (0x1) < maxPriorityFeePerGas (0x2)',
      ],
      [{ maxFeePerGas: '0x1' }, 'maxFeePerGas (0x1) < maxPriorityFeePerGas (0xf4240)'],
      [{ maxFeePerBlobGas: '0x0' }, 'maxFeePerBlobGas, if specified, must be non-zero'],
      [
        { gasPrice: '0x1', maxFeePerGas: '0x1' },
        'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      ],
      [{ gasPrice: '0x1', authorizationList: [] }, 'both gasPrice and authorizationList specified'],
      [
        { maxFeePerGas: '0x1' },
        'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
        'berlin',
      ],
      [{ chainId: '0x1' }, "chainId does not match node's (have=1, want=1337)"],
    ];
    for (const [fees, message, revision] of problems) {
      await assert.rejects(slotsOf(fees, revision), { kind: 'failed', message }, message);
    }
  });

  function readBaseFee(): number {
    const { chain } = chains.get('prague') as OpenedChain;
    return Number(chain.blocks.getHeader(LATEST)?.baseFeePerGas);
  }

  test('of a transaction that cannot be executed fail with its hash', async () => {
    await assert.rejects(create({ from: SENDER, to: PROGRAM, value: '0x1' }), {
      kind: 'failed',
      message:
        /^failed to apply transaction: 0x[0-9a-f]{64} err: insufficient funds for gas \* price \+ value: address /,
    });
    await assert.rejects(create({ to: PROGRAM, gas: '0x1' }), {
      kind: 'failed',
      message: /^failed to apply transaction: 0x[0-9a-f]{64} err: intrinsic gas too low: have 1, want 21000$/,
    });
  });

  test('leave no state behind', async () => {
    await create({ to: PROGRAM }, withCode('1 SLOAD STOP'));
    const { chain } = chains.get('prague') as OpenedChain;
    const call = { to: REVERTER, data: encodeCall('read()') };
    assert.equal(await chain.execution.call({ call, block: LATEST }, limitTo(PATIENCE_MS)), `"${slot(9)}"`);
  });
});
