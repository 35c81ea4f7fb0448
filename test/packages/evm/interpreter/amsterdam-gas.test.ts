/** Prices of Amsterdam's instructions in both kinds of gas (EIP-8037, 8038), by instruction. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { assemble } from '../../../../scripts/assembler.ts';
import { type Given, MessageHarness } from './message-harness.ts';

const ACCOUNT = 183_600n;
const SLOT = 97_920n;
const GAS = 5_000_000n;
/** A reservoir above the state gas that any of these programs charges. */
const RESERVOIR = 2_000_000n;

/** Accounts with code, by number; 0x2000 has none. */
const CODES: Readonly<Record<number, string>> = {
  8192: '',
  8193: 'STOP',
  8194: '0 0 REVERT',
  8195: 'INVALID',
  // Each writes a new slot; some then fail.
  8196: '1 5 SSTORE',
  8197: '1 5 SSTORE 0 0 REVERT',
  8198: '1 5 SSTORE INVALID',
  // Clears a slot of its caller (DELEGATECALL).
  8199: '0 9 SSTORE',
  // Delegations to 0x2001 and to 0x3000, which does not exist.
  8200: `raw:0xef0100${'2001'.padStart(40, '0')}`,
  8201: `raw:0xef0100${'3000'.padStart(40, '0')}`,
};

const harness = new MessageHarness('amsterdam', (number) => {
  const source = CODES[number];
  return source === undefined ? undefined : assemble(source);
});

type Used = { readonly gas: bigint; readonly state: bigint; readonly refund: bigint };

function use(source: string, provided: Given): Used {
  const result = harness.run(source, GAS, { stateGas: RESERVOIR, balance: 10n, ...provided });
  assert.equal(result.status, 'success', `${source}: ${result.reason}`);
  return { gas: result.gasUsed, state: result.stateGasUsed, refund: result.gasRefund };
}

/** Computes the cost of `source` beyond that of `before`. */
function costOf(source: string, before: string, provided: Given): Used {
  const [all, first] = [use(`${before} ${source}`, provided), use(before, provided)];
  return { gas: all.gas - first.gas, state: all.state - first.state, refund: all.refund - first.refund };
}

/** A row has the operands on the stack before the instruction, the instruction, and its cost. */
type Row = readonly [
  name: string,
  before: string,
  source: string,
  gas: bigint,
  state?: bigint,
  refund?: bigint,
  provided?: Given,
];

const call = (target: string, value = 0): string => `0 0 0 0 ${value} ${target} 0`;
const plain = (target: string): string => `0 0 0 0 ${target} 0`;

const ROWS: readonly Row[] = [
  ['BALANCE, cold', '0x2000', 'BALANCE', 3000n],
  ['BALANCE, warm', '0x2000 BALANCE POP 0x2000', 'BALANCE', 100n],
  ['BALANCE of a precompile', '4', 'BALANCE', 100n],
  ['EXTCODEHASH, cold', '0x2000', 'EXTCODEHASH', 3000n],
  ['EXTCODEHASH, warm', '0x2000 BALANCE POP 0x2000', 'EXTCODEHASH', 100n],
  ['EXTCODESIZE, cold', '0x2000', 'EXTCODESIZE', 3100n],
  ['EXTCODESIZE, warm', '0x2000 BALANCE POP 0x2000', 'EXTCODESIZE', 200n],
  ['EXTCODECOPY, cold, of a word', '32 0 0 0x2000', 'EXTCODECOPY', 3106n],
  ['EXTCODECOPY, warm, of a word', '0x2000 BALANCE POP 32 0 0 0x2000', 'EXTCODECOPY', 206n],
  ['SLOAD, cold', '7', 'SLOAD', 2100n],
  ['SLOAD, warm', '7 SLOAD POP 7', 'SLOAD', 100n],
  ['SSTORE, 0 to 1, cold', '1 7', 'SSTORE', 12_100n, SLOT],
  ['SSTORE, 0 to 1, warm', '7 SLOAD POP 1 7', 'SSTORE', 10_100n, SLOT],
  ['SSTORE, 0 to 0, cold', '0 7', 'SSTORE', 2100n],
  ['SSTORE, 1 to 0, cold', '0 7', 'SSTORE', 12_100n, 0n, 11_616n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 2, warm', '7 SLOAD POP 2 7', 'SSTORE', 10_100n, 0n, 0n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 2 to 3', '2 7 SSTORE 3 7', 'SSTORE', 100n, 0n, 0n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 2 to 1', '2 7 SSTORE 1 7', 'SSTORE', 100n, 0n, 10_000n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 2 to 0', '2 7 SSTORE 0 7', 'SSTORE', 100n, 0n, 11_616n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 0 to 2', '0 7 SSTORE 2 7', 'SSTORE', 100n, 0n, -11_616n, { storage: [[7, 1]] }],
  ['SSTORE, 1 to 0 to 1', '0 7 SSTORE 1 7', 'SSTORE', 100n, 0n, -1_616n, { storage: [[7, 1]] }],
  ['SSTORE, 0 to 1 to 0', '1 7 SSTORE 0 7', 'SSTORE', 100n, -SLOT, 10_000n],
  ['SSTORE, 0 to 1 to 2', '1 7 SSTORE 2 7', 'SSTORE', 100n],
  ['CALL, cold', call('0x2000'), 'CALL', 3000n],
  ['CALL, warm', `0x2000 BALANCE POP ${call('0x2000')}`, 'CALL', 100n],
  ['CALL with value', call('0x2000', 1), 'CALL', 12_000n],
  ['CALL with value to nothing', call('0x3000', 1), 'CALL', 12_000n, ACCOUNT],
  ['CALL with value to nothing twice', `${call('0x3000', 1)} CALL ${call('0x3000', 1)}`, 'CALL', 9_100n],
  ['CALL with more value than there is', call('0x3000', 11), 'CALL', 12_000n],
  ['CALL without value to nothing', call('0x3000'), 'CALL', 3000n],
  ['CALL with value of code that reverts', call('0x2002', 1), 'CALL', 12_006n],
  ['CALL with value of code that halts', call('0x2003', 1), 'CALL', 14_300n],
  ['CALL of a delegated account', call('0x2008'), 'CALL', 6000n],
  ['CALL of one with a warm delegate', `0x2001 BALANCE POP ${call('0x2008')}`, 'CALL', 3100n],
  ['CALL with value of one with an empty delegate', call('0x2009', 1), 'CALL', 15_000n],
  ['CALLCODE with value', call('0x3000', 1), 'CALLCODE', 12_000n],
  ['DELEGATECALL, cold', plain('0x2001'), 'DELEGATECALL', 3000n],
  ['STATICCALL of a delegated account', plain('0x2008'), 'STATICCALL', 6000n],
  ['CALL of code that writes a new slot', `0 0 0 0 0 0x2004 200000`, 'CALL', 15_106n, SLOT],
  ['CALL of code that writes a new slot and reverts', `0 0 0 0 0 0x2005 200000`, 'CALL', 15_112n],
  ['CALL of code that writes a new slot and halts', `0 0 0 0 0 0x2006 200000`, 'CALL', 203_000n],
  ['CREATE of nothing', '0 0 0', 'CREATE', 12_000n, ACCOUNT],
  ['CREATE2 of nothing, of a word of code', '0 32 0 0', 'CREATE2', 12_011n, ACCOUNT],
  ['CREATE with more value than there is', '0 0 11', 'CREATE', 12_000n],
  // The bytes 60 00 60 00 fd: 0 0 REVERT.
  ['CREATE of code that reverts', '0x600060 0 MSTORE 0xfd 33 MSTORE8 5 29 0', 'CREATE', 12_008n],
  ['SELFDESTRUCT to nothing', '0x3000', 'SELFDESTRUCT', 17_000n, ACCOUNT],
  ['SELFDESTRUCT to nothing of nothing', '0x3000', 'SELFDESTRUCT', 8000n, 0n, 0n, { balance: 0n }],
  ['SELFDESTRUCT, cold', '0x2000', 'SELFDESTRUCT', 8000n],
  ['SELFDESTRUCT, warm', '0x2000 BALANCE POP 0x2000', 'SELFDESTRUCT', 5000n],
  ['SLOTNUM', '', 'raw:0x4b', 2n],
  ['DUPN', `${'1 '.repeat(17)}`, 'raw:0xe680', 3n],
  ['SWAPN', `${'1 '.repeat(18)}`, 'raw:0xe780', 3n],
  ['EXCHANGE', '1 2 3 4', 'raw:0xe89d', 3n],
];

describe('gas of Amsterdam', () => {
  for (const [name, before, source, gas, state = 0n, refund = 0n, provided = {}] of ROWS) {
    it(`${name}: ${gas}, state ${state}, refund ${refund}`, () => {
      assert.deepEqual(costOf(source, before, provided), { gas, state, refund });
      // Without a reservoir state gas is execution gas. A callee that halts uses all gas passed to it, including state gas paid from it.
      const spent = costOf(source, before, { ...provided, stateGas: 0n });
      assert.equal(spent.gas, gas + state);
      assert.equal(spent.state, state);
    });
  }
});

test('stored code costs 6 gas per word and 1530 state gas per byte', () => {
  // RETURN of 40 bytes of memory: 6 of PUSH, 6 of memory, 12 of two words.
  const code = assemble('40 0 RETURN');
  const { gasUsed, stateGasUsed, stateGasLeft } = harness.create(code, GAS, RESERVOIR);
  assert.deepEqual([gasUsed, stateGasUsed, stateGasLeft], [24n, 61_200n, RESERVOIR - 61_200n]);
  assert.deepEqual(harness.create(code, 61_224n, 0n).status, 'success');
  for (const [gas, stateGas] of [
    [61_223n, 0n],
    [23n, 61_200n],
    [24n, 61_199n],
  ] as const) {
    const { status, reason, stateGasLeft: left } = harness.create(code, gas, stateGas);
    assert.deepEqual([status, reason, left], ['halt', 'contract creation code storage out of gas', stateGas]);
  }
});

test('code and initcode have the size limits of EIP-7954', () => {
  const deploy = (size: number): string => harness.create(assemble(`${size} 0 RETURN`), 200_000_000n).reason;
  assert.equal(deploy(65_536), '');
  assert.equal(deploy(65_537), 'max code size exceeded: code size 65537 limit 65536');
  assert.equal(harness.run('131072 0 0 CREATE', GAS).status, 'success');
  const limit = 'out of gas: max initcode size exceeded: code size 131073 limit 131072';
  assert.equal(harness.run('131073 0 0 CREATE', GAS).reason, limit);
  // Code that is too long is charged no state gas.
  const { stateGasLeft } = harness.create(assemble('65537 0 RETURN'), GAS, RESERVOIR);
  assert.equal(stateGasLeft, RESERVOIR);
});

test('a charge takes the reservoir first, and a refund goes back to its origin', () => {
  // 0 to 1 to 0: 12,106 and 106 execution gas; the slot takes 50,000 from the reservoir and 47,920 execution gas.
  const set = harness.run('1 9 SSTORE', GAS, { stateGas: 50_000n });
  assert.deepEqual([set.gasUsed, set.stateGasLeft, set.stateGasUsed], [60_026n, 0n, SLOT]);
  const cleared = harness.run('1 9 SSTORE 0 9 SSTORE', GAS, { stateGas: 50_000n });
  assert.deepEqual([cleared.gasUsed, cleared.stateGasLeft, cleared.stateGasUsed], [12_212n, 50_000n, 0n]);
});

test('a slot cleared by a callee is refunded as execution gas if its caller spilled (geth only)', () => {
  const source = '1 9 SSTORE 0 0 0 0 0x2007 100000 DELEGATECALL';
  const inside = harness.run(source, GAS, { stateGas: 0n });
  assert.deepEqual([inside.stateGasLeft, inside.stateGasUsed], [0n, 0n]);
  // SSTORE 12,100, the call 3,000, SSTORE 100, and 10 PUSHes.
  assert.equal(inside.gasUsed, 15_230n);
});

test('GAS excludes the reservoir, and the reservoir does not count for the reentrancy sentry', () => {
  const observe = (stateGas: bigint): string =>
    Buffer.from(harness.run('GAS 0 MSTORE 32 0 RETURN', GAS, { stateGas }).output).toString('hex');
  assert.equal(observe(RESERVOIR), observe(0n));
  const { reason } = harness.run('1 7 SSTORE', 2306n, { stateGas: RESERVOIR });
  assert.equal(reason, 'out of gas: not enough gas for reentrancy sentry');
});

test('a frame that cannot pay for an account halts, and the reservoir is restored', () => {
  for (const source of [`${call('0x3000', 1)} CALL`, '0 0 0 CREATE', '0x3000 SELFDESTRUCT']) {
    const { status, gasUsed, stateGasLeft } = harness.run(source, 100_000n, {
      stateGas: 70_000n,
      balance: 10n,
    });
    assert.deepEqual([status, gasUsed, stateGasLeft], ['halt', 100_000n, 70_000n], source);
  }
});

test('gasNeeded includes refunded state gas, and is undefined with a reservoir', () => {
  const source = '1 9 SSTORE 0 9 SSTORE';
  const { gasNeeded, gasUsed } = harness.run(source, GAS);
  // Before the slot is cleared 12,106 and 97,920 are used, and 6 for the operands; then more than 2,300 must remain.
  assert.deepEqual([gasUsed, gasNeeded], [12_212n, 12_112n + SLOT + 2301n]);
  assert.equal(harness.run(source, gasNeeded).status, 'success');
  assert.equal(harness.run(source, (gasNeeded as bigint) - 1n).status, 'halt');
  assert.equal(harness.run(source, GAS, { stateGas: 1n }).gasNeeded, undefined);
});
