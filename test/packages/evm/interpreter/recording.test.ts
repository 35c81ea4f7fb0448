/** Records of an EVM besides a message's result: numbers of logs, transfers of value, and accounts and slots that instructions access. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { Recording } from '../../../../packages/evm/interpreter/message.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { MessageHarness } from './message-harness.ts';

const PROGRAM = 0xffff_0002;
const SENDER = 0xffff_0001;

/** Accounts with code, by number. */
const CODES: Readonly<Record<number, string>> = {
  4097: '0 0 LOG0 0 0 REVERT',
  4098: '5 SLOAD POP 0x7777 BALANCE POP 0 0 REVERT',
  4099: '0 0 LOG0 7 SLOAD POP 0 0 LOG0 1000 0 LOG0',
  4100: 'STOP',
};

function createHarness(what: Recording): MessageHarness {
  const harness = new MessageHarness('osaka', (number) => {
    const source = CODES[number];
    return source === undefined ? undefined : assemble(source);
  });
  harness.evm.record(what);
  return harness;
}

/** Lists accounts as numbers and slots as `account:slot`, in ascending order. */
function takeAll({ evm }: MessageHarness): string[] {
  const all: string[] = [];
  for (let access = evm.takeAccess(); access !== undefined; access = evm.takeAccess()) {
    const account = bytesToBigInt(access.address).toString(16);
    all.push(access.slot === undefined ? account : `${account}:${bytesToBigInt(access.slot)}`);
  }
  return all.sort();
}

const call = (target: number, gas: number | 'GAS' = 'GAS', value = 0): string =>
  `0 0 0 0 ${value} ${target} ${gas} CALL POP`;

test('logs are numbered across messages, including reverted logs', () => {
  const harness = createHarness('logNumbers');
  const numbers = (source: string): number[] => harness.run(source).logs.map(({ number }) => number);
  assert.deepEqual(numbers(`0 0 LOG0 ${call(0x1001)} 0 0 LOG0`), [0, 2]);
  assert.deepEqual(numbers('0 0 LOG0 0 0 REVERT'), []);
  assert.deepEqual(numbers('0 0 LOG0'), [4]);
  harness.evm.record('logNumbers');
  assert.deepEqual(numbers('0 0 LOG0'), [0]);
});

test('recorded logs of a frame are numbered even if it cannot pay for the rest of its instruction block', () => {
  const numbers = (gas: number): number[] => {
    const { logs } = createHarness('logNumbers').run(`${call(0x1003, gas)} 0 0 LOG0`);
    return logs.map(({ number }) => number);
  };
  // The frame pays for both logs and SLOAD but not the last log; for one log and not SLOAD; for nothing.
  assert.deepEqual(numbers(3_000), [2]);
  assert.deepEqual(numbers(2_000), [1]);
  assert.deepEqual(numbers(300), [0]);
});

test('a transfer without sufficient balance takes a number but is not a log', () => {
  const harness = createHarness('transfers');
  const { logs } = harness.run(`${call(0x1004, 'GAS', 1)} 1 0 0 CREATE POP 0 0 LOG0`);
  assert.deepEqual(
    logs.map(({ number, isTransfer }) => ({ number, isTransfer })),
    [{ number: 1, isTransfer: false }],
  );
});

test('a transfer log has the topics of ERC-20 and the address of ERC-7528', () => {
  const harness = createHarness('transfers');
  harness.evm.state.setBalance(
    Uint8Array.from(Buffer.from('00000000000000000000000000000000ffff0002', 'hex')),
    9n,
  );
  const { logs } = harness.run(`${call(0x1004, 'GAS', 4)} ${call(0x1001, 'GAS', 5)} STOP`);
  assert.deepEqual(
    logs.map(({ address, topics, data, number, isTransfer }) => ({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
      number,
      isTransfer,
    })),
    [
      {
        address: `0x${'ee'.repeat(20)}`,
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          `0x${PROGRAM.toString(16).padStart(64, '0')}`,
          `0x${(0x1004).toString(16).padStart(64, '0')}`,
        ],
        data: `0x${(4).toString(16).padStart(64, '0')}`,
        number: 0,
        isTransfer: true,
      },
    ],
  );
});

test('accesses are recorded once each, even if their frame reverts', () => {
  const harness = createHarness('accesses');
  const listOf = (source: string, gas?: bigint): string[] => {
    harness.run(source, gas);
    return takeAll(harness);
  };
  const program = PROGRAM.toString(16);
  assert.deepEqual(listOf(`1 SLOAD 1 SLOAD 2 3 SSTORE ${call(0x1002)}`), [
    '1002',
    '1002:5',
    '7777',
    `${program}:1`,
    `${program}:3`,
  ]);
  assert.deepEqual(listOf('1 TLOAD 2 3 TSTORE ADDRESS CALLER'), []);
  assert.deepEqual(listOf(`0x11 EXTCODESIZE 0x12 EXTCODEHASH 0 0 0 0x13 EXTCODECOPY 0x14 SELFDESTRUCT`), [
    '11',
    '12',
    '13',
    '14',
  ]);
  assert.deepEqual(
    listOf('0 0 0 0 0x21 GAS STATICCALL 0 0 0 0 0x22 GAS DELEGATECALL 0 0 0 0 0 0x23 GAS CALLCODE'),
    ['21', '22', '23'],
  );
  assert.deepEqual(listOf('STOP'), []);
});

test('an access with operands but too little gas is recorded', () => {
  const harness = createHarness('accesses');
  const program = PROGRAM.toString(16);
  harness.run('2 SLOAD', 50n);
  assert.deepEqual(takeAll(harness), [`${program}:2`]);
  harness.run('0x31 BALANCE', 5n);
  assert.deepEqual(takeAll(harness), ['31']);
  harness.run('SLOAD', 30_000n);
  assert.deepEqual(takeAll(harness), []);
  // A failing inner frame stops at the same instruction.
  harness.run(call(0x1003, 400 + 375 + 10));
  assert.deepEqual(takeAll(harness), ['1003', '1003:7']);
});

test('nothing is recorded in the mode nothing', () => {
  const harness = createHarness('nothing');
  harness.run(`1 SLOAD ${call(SENDER)}`);
  assert.deepEqual(takeAll(harness), []);
});
