/** Where gas runs out, the reported instruction is the one at which geth stops, although the core charges blocks of instructions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Revision } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { MessageHarness } from './message-harness.ts';

const PLAIN = 'out of gas';
const TWICE = 'out of gas: out of gas';
const OVERFLOW = 'gas uint64 overflow';
const PRICE = 'out of gas: gas uint64 overflow';

/** An offset above 64 bits, one in memory that no gas can pay for, and one in memory that costs 1,250,000 gas. */
const BEYOND = '0x10000000000000000';
const UNPAYABLE = '0x1fffffffe1';
const FAR = '0xc0000';

function expectReasons(cases: readonly (readonly [Revision, string, bigint, string])[]): void {
  const harnesses = new Map<Revision, MessageHarness>();
  for (const [revision, source, gas, reason] of cases) {
    const harness = harnesses.get(revision) ?? new MessageHarness(revision);
    harnesses.set(revision, harness);
    const result = harness.run(source, gas);
    assert.equal(result.status, 'halt', source);
    assert.equal(result.reason, reason, `${source} with ${gas} gas under ${revision}`);
  }
}

test('an instruction fails with geth’s error even if its block costs more than the gas left', () => {
  expectReasons([
    // CREATE's 32,000 gas is charged with the block.
    ['osaka', `1 ${BEYOND} MSTORE 0 0 0 CREATE`, 100n, OVERFLOW],
    ['osaka', `32 0 SHA3 POP ${BEYOND} MLOAD POP 30000 0 0 CREATE`, 32_050n, OVERFLOW],
    ['osaka', `3200 0 0 CALLDATACOPY 1 ${UNPAYABLE} MSTORE 0 0 0 CREATE`, 32_100n, PRICE],
    ['osaka', `0x1234 BALANCE POP ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_200n, OVERFLOW],
    ['osaka', `0x1234 BALANCE POP ${BEYOND} MLOAD POP 0 0 0 CREATE`, 2_000n, PLAIN],
    ['osaka', `9 SLOAD POP ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_200n, OVERFLOW],
    ['osaka', `32 0 LOG0 1 ${UNPAYABLE} MSTORE 0 0 0 CREATE`, 32_300n, PRICE],
    ['osaka', `32 0 0 0x1234 EXTCODECOPY ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_200n, OVERFLOW],
    ['osaka', `32 0 32 MCOPY 2 0xffffffff EXP POP ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_050n, OVERFLOW],
    // Operations that fuse several instructions.
    ['osaka', `7 DUP1 MLOAD POP DUP1 1000 MSTORE ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_060n, OVERFLOW],
    ['osaka', `7 5 DUP2 MSTORE 1 2 ADD 96 MSTORE ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_050n, OVERFLOW],
    ['osaka', `@on JUMP on: 7 5 DUP2 MSTORE ${BEYOND} MLOAD POP 0 0 0 CREATE`, 32_040n, OVERFLOW],
    // With more gas the last instruction fails, with less the first.
    ['osaka', '1 0 MSTORE 3200 MLOAD POP INVALID', 400n, 'invalid opcode: INVALID'],
    ['osaka', `${FAR} MLOAD POP INVALID`, 1_000n, PLAIN],
  ]);
});

test('the memory range of a log is checked before any of its gas is charged', () => {
  expectReasons([
    ['osaka', `1 ${BEYOND} LOG0`, 20n, OVERFLOW],
    ['osaka', `1 ${UNPAYABLE} LOG0`, 20n, PRICE],
    ['frontier', `0 0 1 ${BEYOND} LOG2`, 20n, OVERFLOW],
    ['osaka', '0 0 LOG0', 100n, PLAIN],
  ]);
});

test('a memory range beyond 64 bits is found, whatever the other range costs', () => {
  expectReasons([
    ['osaka', `1 ${BEYOND} 1 ${FAR} 0 0x1234 0 CALL`, 10_000n, OVERFLOW],
    ['osaka', `1 ${BEYOND} 1 ${UNPAYABLE} 0x1234 0 STATICCALL`, 10_000n, OVERFLOW],
    ['osaka', `1 ${UNPAYABLE} 1 ${FAR} 0x1234 0 DELEGATECALL`, 10_000n, PRICE],
    ['osaka', `${FAR} ${BEYOND} 0 MCOPY`, 10_000n, OVERFLOW],
    ['osaka', `1 0xffffffffffffffdf MSTORE8`, 10_000n, PRICE],
    ['osaka', `1 0xffffffffffffffe0 MSTORE8`, 10_000n, OVERFLOW],
    ['osaka', `49153 ${FAR} 0 CREATE`, 40_000n, INIT_CODE],
    ['osaka', `0x1fffffffc0 0 0 CREATE`, 40_000n, INIT_CODE.replace('size 49153', 'size 137438953408')],
    ['osaka', `49153 ${UNPAYABLE} 0 CREATE`, 40_000n, PRICE],
  ]);
});

const INIT_CODE = 'out of gas: max initcode size exceeded: code size 49153 limit 49152';

test('a call that cannot be paid fails with geth’s error', () => {
  const call = (kind: string, value = '', offset = '0', gas = '0'): string =>
    `0 0 32 ${offset} ${value} 0x1234 ${gas} ${kind}`;
  expectReasons([
    // EIP-7702: everything is charged while the price is computed.
    ['osaka', call('CALL', '0'), 2_000n, TWICE],
    ['osaka', call('STATICCALL'), 2_000n, TWICE],
    ['osaka', call('STATICCALL', '', FAR), 10_000n, TWICE],
    ['osaka', call('CALLCODE', '1'), 10_000n, TWICE],
    ['osaka', call('CALL', '1'), 20_000n, TWICE],
    ['osaka', call('STATICCALL', '', UNPAYABLE), 2_000n, TWICE],
    ['osaka', call('STATICCALL', '', UNPAYABLE), 10_000n, PRICE],
    ['osaka', call('STATICCALL'), 50n, PLAIN],
    // EIP-2929: the first access is charged while the price is computed; for CALL, memory and the transfer too.
    ['berlin', call('STATICCALL'), 2_000n, TWICE],
    ['berlin', call('STATICCALL', '', FAR), 10_000n, PLAIN],
    ['berlin', call('CALLCODE', '1'), 10_000n, PLAIN],
    ['berlin', call('CALL', '0', FAR), 10_000n, TWICE],
    ['berlin', call('CALL', '1'), 10_000n, TWICE],
    ['berlin', call('CALL', '1'), 20_000n, PLAIN],
    ['byzantium', call('STATICCALL', '', FAR), 10_000n, PLAIN],
    ['byzantium', call('CALL', '0', FAR), 10_000n, TWICE],
    ['byzantium', call('CALL', '1'), 20_000n, PLAIN],
    // Before EIP-150 the requested gas is part of the price.
    ['frontier', call('CALLCODE', '0', '0', '50000'), 10_000n, PLAIN],
    ['frontier', call('CALLCODE', '0', '0', BEYOND), 10_000n, PRICE],
    ['frontier', call('CALLCODE', '1', FAR, BEYOND), 10_000n, PRICE],
    ['frontier', call('CALLCODE', '1', '0', '0xffffffffffffdcd8'), 10_000n, PRICE],
    ['frontier', call('CALLCODE', '1', '0', '0xffffffffffffdcd0'), 10_000n, PLAIN],
    ['frontier', call('CALL', '1', FAR, BEYOND), 10_000n, TWICE],
  ]);
});
