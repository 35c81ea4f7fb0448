/** Accounts and slots that a message accesses for the block access list (EIP-7928): only those whose access was paid. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { addressOf, type Given, MessageHarness } from './message-harness.ts';

const CODES: Readonly<Record<number, string>> = {
  8193: 'STOP',
  8194: '5 SLOAD 0x7777 BALANCE 0 0 REVERT',
  8195: '5 SLOAD 0x7777 BALANCE 6 SLOAD INVALID',
  8196: '1 0x7777 SSTORE',
  // A call with value, which a static call may not make.
  8197: '0 0 0 0 1 0x7777 0 CALL',
  8198: '0x7777 SELFDESTRUCT',
  8199: `raw:0xef0100${'6666'.padStart(40, '0')}`,
  // With little gas the instructions after the first BALANCE cannot be paid, because they are charged as one block.
  8200: `0x7777 BALANCE POP 0x7778 BALANCE POP ${'1 POP '.repeat(100)}`,
};
const PROGRAM = 'ffff0002';
const GAS = 5_000_000n;

const harness = new MessageHarness('amsterdam', (number) => {
  const source = CODES[number];
  return source === undefined ? undefined : assemble(source);
});
harness.evm.record('blockAccesses');

/** Lists accesses as hexadecimal numbers, without the program itself; slots follow their account. */
function accessesOf(source: string, gas = GAS, provided: Given = { balance: 10n }): string[] {
  harness.run(source, gas, provided);
  const names = harness.evm.takeBlockAccesses().map(({ address, slot }) => {
    const account = bytesToBigInt(address).toString(16);
    return slot === undefined ? account : `${account}:${bytesToBigInt(slot).toString(16)}`;
  });
  assert.equal(new Set(names).size, names.length, 'each of them once');
  assert.ok(names.includes(PROGRAM));
  return names.filter((name) => name !== PROGRAM).sort();
}

const expect = (rows: readonly (readonly [source: string, gas: bigint, accesses: string])[]): void => {
  for (const [source, gas, accesses] of rows) {
    assert.deepEqual(
      accessesOf(source, gas),
      accesses === '' ? [] : accesses.split(' '),
      `${source} with ${gas}`,
    );
  }
};

test('accounts are recorded if their access is paid', () => {
  expect([
    ['0x7777 BALANCE', 3003n, '7777'],
    ['0x7777 BALANCE', 3002n, ''],
    ['0x7777 EXTCODEHASH', GAS, '7777'],
    ['0x7777 EXTCODESIZE', 3103n, '7777'],
    ['0x7777 EXTCODESIZE', 3102n, ''],
    ['32 0 0 0x7777 EXTCODECOPY', 3118n, '7777'],
    ['32 0 0 0x7777 EXTCODECOPY', 3117n, ''],
    ['4 BALANCE', GAS, '4'],
    // A block of instructions is charged as a whole; accounts are accessed one by one.
    ['0x7777 BALANCE POP 0x7778 BALANCE POP 1 2 3', 3100n, '7777'],
  ]);
});

test('slots are recorded if their access is paid', () => {
  expect([
    ['7 SLOAD', 2103n, `${PROGRAM}:7`],
    ['7 SLOAD', 2102n, ''],
    // More than 2,300 gas must remain after the operands; writing costs more.
    ['1 7 SSTORE', 2306n, ''],
    ['1 7 SSTORE', 2307n, `${PROGRAM}:7`],
    ['1 7 TSTORE 8 TLOAD', GAS, ''],
  ]);
});

test('callees and delegates are recorded if their access is paid', () => {
  const call = (target: string, value = 0, memory = 0): string => `0 0 ${memory} 0 ${value} ${target} 0 CALL`;
  const operands = 21n;
  expect([
    [call('0x7777'), operands + 3000n, '7777'],
    [call('0x7777'), operands + 2999n, ''],
    [call('0x7777', 0, 32), operands + 3003n, '7777'],
    [call('0x7777', 0, 32), operands + 3002n, ''],
    // The value transfer, and then state gas of a new account.
    [call('0x2001', 1), operands + 14_299n, ''],
    [call('0x7777', 1), operands + 14_300n, '7777'],
    [call('0x7777', 11), GAS, '7777'],
    // A delegate is accessed where its access is paid.
    [call('0x2007'), operands + 5999n, '2007'],
    [call('0x2007'), operands + 6000n, '2007 6666'],
    [call('0x2007', 11), GAS, '2007 6666'],
    ['0 0 0 0 0x2005 100000 STATICCALL', GAS, '2005'],
    ['0 0 0 0 0x2006 100000 STATICCALL', GAS, '2006'],
    ['0 0 0 0 0x2004 100000 STATICCALL', GAS, '2004'],
    ['0 0 0 0 0x2004 100000 DELEGATECALL', GAS, `2004 ${PROGRAM}:7777`],
  ]);
});

test('accesses of failed frames are recorded, even if the failure is in the middle of an instruction block', () => {
  const call = (target: number, gas: number): string => `0 0 0 0 0 ${target} ${gas} CALL`;
  expect([
    [call(0x2002, 100_000), GAS, '2002 2002:5 7777'],
    [call(0x2003, 100_000), GAS, '2003 2003:5 2003:6 7777'],
    [call(0x2003, 5_200), GAS, '2003 2003:5 7777'],
    [call(0x2003, 5_000), GAS, '2003 2003:5'],
    [call(0x2008, 3_200), GAS, '2008 7777'],
  ]);
});

test('created accounts are recorded, and refused creations are not', () => {
  const created = bytesToBigInt(createAddress(addressOf(0xffff_0002), 0n)).toString(16);
  expect([
    ['0 0 0 CREATE', GAS, created],
    ['0 0 11 CREATE', GAS, ''],
    // 9 for the operands, 12,000 for the instruction: the account is accessed before its state gas is charged.
    ['0 0 0 CREATE', 12_009n, created],
    ['0 0 0 CREATE', 12_008n, ''],
  ]);
});

test('beneficiaries of SELFDESTRUCT are recorded if their access is paid', () => {
  expect([
    ['0x7777 SELFDESTRUCT', GAS, '7777'],
    ['0x7777 SELFDESTRUCT', 8003n, '7777'],
    ['0x7777 SELFDESTRUCT', 8002n, ''],
  ]);
});

test('nothing is recorded in other modes, and earlier records are not returned again', () => {
  const other = new MessageHarness('amsterdam');
  other.run('0x7777 BALANCE 7 SLOAD');
  assert.deepEqual(other.evm.takeBlockAccesses(), []);
  assert.deepEqual(harness.evm.takeBlockAccesses(), []);
});
