/** Outcomes of messages that exceed, or nearly exceed, a region of the core's memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { OPERATIONS } from '../../../../packages/evm/interpreter/core-generator/operations.ts';
import { assemble } from '../../../../scripts/assembler.ts';
import { addressOf, MessageHarness, numberOf } from './message-harness.ts';

const OVER_LIMIT = 'out of gas: memory limit of this service exceeded';
const MUCH_GAS = 2n ** 40n;
const CODE_LENGTH = 24_576;
const JUMPDEST = 0x5b;

/** Loops `count` times over a body; the round's number is on top of the stack before and after it. */
const loop = (count: number, body: string): string => `${count} again: ${body} 1 SWAP1 SUB DUP1 @again JUMPI`;
const HAS_ENDED = 'POP 1 0 MSTORE 32 0 RETURN';

/** A distinct code of maximum length for each number; it returns the number. */
function longCode(number: number): Uint8Array {
  const head = Uint8Array.of(0x62, number >> 16, number >> 8, number, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3);
  return concatBytes(new Uint8Array(CODE_LENGTH - head.length).fill(JUMPDEST), head);
}

describe('memory regions of the core', () => {
  test('codes: one message may access any number of them', () => {
    const count = 3500;
    const harness = new MessageHarness('osaka', longCode);
    const sum = `0 ${loop(count, 'DUP1 EXTCODESIZE DUP3 ADD SWAP2 POP')} POP 0 MSTORE 32 0 RETURN`;
    assert.equal(numberOf(harness.run(sum)), BigInt(count * CODE_LENGTH));
  });

  test('codes: one message may access any number of small ones', () => {
    const count = 40_000;
    const harness = new MessageHarness('osaka', (number) => Uint8Array.of(number >> 16, number >> 8, number));
    const sum = `0 ${loop(count, 'DUP1 EXTCODESIZE DUP3 ADD SWAP2 POP')} POP 0 MSTORE 32 0 RETURN`;
    assert.equal(numberOf(harness.run(sum, MUCH_GAS)), BigInt(count * 3));
  });

  test('codes: one message may use any number of delegations (EIP-7702)', () => {
    const count = 300;
    const harness = new MessageHarness('prague', (number) => {
      if (number < 20_000) return longCode(number);
      const delegation = new Uint8Array(23);
      delegation.set([0xef, 0x01, 0x00]);
      new DataView(delegation.buffer).setUint32(19, number - 10_000);
      return delegation;
    });
    const call = '32 0 0 0 0 DUP6 20000 ADD GAS CALL POP 0 MLOAD DUP3 ADD SWAP2 POP';
    const sum = `0 ${loop(count, call)} POP 0 MSTORE 32 0 RETURN`;
    assert.equal(numberOf(harness.run(sum, MUCH_GAS)), BigInt((count * (count + 1)) / 2 + 10_000 * count));
  });

  test('codes: one message may run any number of them, from any depth', () => {
    const count = 400;
    // Account 1,000,000 forwards the call to the account in its input.
    const forward = Uint8Array.from([
      ...[0x60, 0x20, 0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x35, 0x5a, 0xf1, 0x50, 0x60, 0x20, 0x5f, 0xf3],
    ]);
    const harness = new MessageHarness('osaka', (number) =>
      number === 1_000_000 ? forward : longCode(number),
    );
    const call = 'DUP1 10000 ADD 0 MSTORE 32 0 32 0 0 1000000 GAS CALL POP 0 MLOAD DUP3 ADD SWAP2 POP';
    const sum = `0 ${loop(count, call)} POP 0 MSTORE 32 0 RETURN`;
    const expected = BigInt((count * (count + 1)) / 2 + 10_000 * count);
    assert.equal(numberOf(harness.run(sum, MUCH_GAS)), expected);
    assert.equal(numberOf(harness.run(sum, MUCH_GAS, { slice: 10_000n })), expected);
  });

  test('accounts: cached ones make room for those of later messages', () => {
    const harness = new MessageHarness();
    for (let round = 0; round < 16; round++) {
      const look = `DUP1 ${round * 10_000 + 1} ADD BALANCE POP`;
      assert.equal(numberOf(harness.run(`${loop(10_000, look)} ${HAS_ENDED}`)), 1n);
    }
  });

  test('accounts: too many end their own message, but not the next one', () => {
    const harness = new MessageHarness();
    const { status, reason, isLimited } = harness.run(`${loop(140_000, 'DUP1 BALANCE POP')} STOP`, MUCH_GAS);
    assert.deepEqual({ status, reason, isLimited }, { status: 'halt', reason: OVER_LIMIT, isLimited: true });
    assert.equal(numberOf(harness.run(`${loop(10, 'DUP1 BALANCE POP')} ${HAS_ENDED}`)), 1n);
  });

  test('slots: a changed slot stays until it is collected, despite many slots', () => {
    const slot = new Uint8Array(32).fill(1, 31);
    const program = assemble(`1 1 SSTORE ${loop(270_000, 'DUP1 TLOAD POP')} STOP`);
    const harness = new MessageHarness('osaka', (number) => (number === 5000 ? program : undefined));
    harness.keep(5000, MUCH_GAS);
    const { evm } = harness;
    evm.open();
    assert.deepEqual(evm.state.getStorage(addressOf(5000), slot), Uint8Array.of(1));
    evm.abandon();
  });

  const HEAVY: readonly (readonly [what: string, source: string])[] = [
    ['slots', loop(2_100_000, 'DUP1 TLOAD POP')],
    ['undo steps', loop(3_400_000, 'DUP1 0 TSTORE')],
    ['logs', loop(40, '1000000 0 LOG0')],
    ['return data', '0x2000001 0 RETURN'],
    ['memory', '0x4000001 MLOAD'],
  ];
  for (const [what, source] of HEAVY) {
    test(`${what}: too much ends the message and undoes all of its changes`, () => {
      const harness = new MessageHarness();
      const { status, reason } = harness.run(`1 1 SSTORE ${source} STOP`, MUCH_GAS);
      assert.deepEqual({ status, reason }, { status: 'halt', reason: OVER_LIMIT });
      assert.equal(numberOf(harness.run('1 SLOAD 1 TLOAD ADD 1 ADD 0 MSTORE 32 0 RETURN')), 1n);
      assert.equal(harness.run('STOP').logs.length, 0);
    });
  }

  test('a limit exceeded in an inner frame ends the whole message', () => {
    const inner = 'inner: 0x4000001 MLOAD STOP';
    const harness = new MessageHarness();
    const source = `CALLER ADDRESS EQ @inner JUMPI 0 0 0 0 0 ADDRESS GAS CALL STOP ${inner}`;
    assert.equal(harness.run(source, MUCH_GAS).reason, OVER_LIMIT);
  });
});

describe('long codes', () => {
  test('are charged more gas than fits into 32 bits', () => {
    // SLOAD costs 800 at this revision: slightly more than 2^32 in all.
    const code = concatBytes(Uint8Array.of(0x60, 0), new Uint8Array(5_368_710).fill(0x54));
    const harness = new MessageHarness('istanbul', undefined, 256 << 20);
    assert.equal(harness.create(code, 1_000_000n).reason, 'out of gas');
  });

  test('report the failing instruction', () => {
    // The constant is the number of the operation that pushes constants.
    const number = OPERATIONS.get('PUSH_WORD') as number;
    const word = `0x1${number.toString(16).padStart(63, '0')}`;
    const { reason } = new MessageHarness().run(`1 ${word} AND POP POP`, 100_000n);
    assert.equal(reason, 'stack underflow (0 <=> 1)');
  });
});
