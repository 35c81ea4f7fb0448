/** Calls that run ahead, one after another in one entry of the core, have the same results as when run alone, and leave no state behind. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import {
  type CallBytes,
  LATEST_BLOCK,
  NO_GAS_LIMIT,
} from '../../../packages/ethereum/primitives/call-bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { MAX_CALLS } from '../../../packages/evm/interpreter/call-table.ts';
import type { Evm } from '../../../packages/evm/interpreter/evm.ts';
import type { AccountState, StateReader } from '../../../packages/evm/interpreter/host.ts';
import type { BlockEnvironment } from '../../../packages/evm/interpreter/message.ts';
import { rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../../packages/evm/interpreter/slice.ts';
import { assemble } from '../../../scripts/assembler.ts';
import { CallsAhead } from '../../../src/chains/embedded/simulation/calls-ahead.ts';
import { createEvm } from '../../../src/engine/create-evm.ts';
import { countRuns } from '../../support/count-runs.ts';

const RUNS: number = countRuns(400);
const SLICE = 50_000;
const MUCH_GAS = 10_000_000;
const ZERO = addressOf(0);

/** Code by the last byte of the address, and whether its calls, with enough gas, always finish in one slice. */
const LIBRARY: readonly (readonly [last: number, source: string, isPlain: boolean])[] = [
  [0xa0, '0 CALLDATALOAD SLOAD 0 MSTORE CALLER 32 MSTORE 64 0 RETURN', true],
  [0xa1, '0 SLOAD 1 ADD DUP1 0 SSTORE 0 MSTORE 32 0 RETURN', true],
  [0xa2, 'CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN', true],
  [0xa3, '0 0 0 0 7 0xa1 GAS CALL 0 MSTORE RETURNDATASIZE 32 MSTORE 64 0 RETURN', true],
  [0xa4, '1 0 TSTORE 7 1 SSTORE 0 TLOAD 1 SLOAD ADD 0 MSTORE 32 0 RETURN', true],
  [0xa5, 'GAS 0 MSTORE 32 0 RETURN', true],
  [0xa6, '0 CALLDATALOAD BALANCE 0 CALLDATALOAD EXTCODEHASH ADD 0 MSTORE 32 0 RETURN', true],
  [0xa7, 'STOP', true],
  [0xb0, '32 0 MSTORE 32 0 REVERT', false],
  [0xb1, 'INVALID', false],
  [0xb2, '0 0 0 0 4 GAS STATICCALL 0 MSTORE 32 0 RETURN', false],
  [0xb3, '3 BLOCKHASH 0 MSTORE 32 0 RETURN', false],
  [0xb4, '2000 loop: 1 SWAP1 SUB DUP1 @loop JUMPI 0 0 RETURN', false],
  [0xb5, '40000 0 RETURN', false],
];

const BLOCK: BlockEnvironment = {
  number: 100n,
  timestamp: 1_000n,
  beneficiary: hexToBytes(addressOf(0xee)),
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  getBlockHash: (number) => keccak256(Uint8Array.of(Number(number))),
};

function addressOf(last: number): string {
  return `0x${last.toString(16).padStart(40, '0')}`;
}

function createState(): StateReader {
  const codes = new Map<string, Uint8Array>();
  const accounts = new Map<string, AccountState>();
  for (const [last, source] of LIBRARY) {
    const code = assemble(source);
    const codeHash = keccak256(code);
    codes.set(bytesToHex(codeHash), code);
    accounts.set(addressOf(last), { nonce: 1n, balance: 1_000n, codeHash, hasStorage: true });
  }
  const plain = { nonce: 3n, balance: 5n, codeHash: EMPTY_CODE_HASH, hasStorage: false };
  accounts.set(addressOf(0xf0), plain);
  return {
    getAccount: (address) => accounts.get(bytesToHex(address)),
    getStorage: (_address, key) => ((key[31] as number) % 2 === 1 ? key.slice(31) : EMPTY_BYTES),
    getCode: (codeHash) => codes.get(bytesToHex(codeHash)) as Uint8Array,
  };
}

type Given = { readonly to: string; readonly from: string; readonly data: Uint8Array; readonly gas: number };

/** Encodes the calls of one batch: their addresses and data lie in one byte array. */
function encode(provided: readonly Given[]): readonly CallBytes[] {
  const bytes: number[] = [];
  const put = (part: Uint8Array): number => bytes.push(...part) - part.length;
  const places = provided.map(({ to, from, data }) => ({
    from: put(hexToBytes(from)),
    data: put(data),
    to: put(hexToBytes(to)),
    dataLength: data.length,
  }));
  const all = Uint8Array.from(bytes);
  const calls: CallBytes[] = [];
  let following: CallBytes | undefined;
  for (const place of places.toReversed()) {
    following = { ...place, bytes: all, zeros: 0, gas: NO_GAS_LIMIT, block: LATEST_BLOCK, following };
    calls.unshift(following);
  }
  return calls;
}

function open(): Evm {
  const evm = createEvm(createState());
  evm.enter(BLOCK, 1n, rulesOf('osaka'));
  return evm;
}

/** Runs one call without the table. */
function runAlone(
  evm: Evm,
  call: CallBytes,
  gas: number,
): { readonly output: string; readonly isSuccess: boolean; readonly used: number } {
  let isDone = evm.runFastPath(call, gas, SLICE);
  while (!isDone) isDone = evm.advance(WHOLE_SLICE);
  const { status, output } = evm.outcome;
  const alone = {
    output: bytesToHex(output).slice(2),
    isSuccess: status === 'success',
    used: evm.gasUsedNumber,
  };
  while (!evm.abandon());
  return alone;
}

const provided: fc.Arbitrary<Given> = fc.record({
  to: fc
    .oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(...LIBRARY.filter(([, , isPlain]) => isPlain).map(([last]) => last)),
      },
      fc.constantFrom(0xf0, 0xee, 0x99, 4, ...LIBRARY.map(([last]) => last)),
    )
    .map(addressOf),
  from: fc.constantFrom(ZERO, addressOf(0xf0), addressOf(0xee), addressOf(0xa0), addressOf(0x77)),
  data: fc.oneof(
    fc.nat({ max: 5 }).map((last) => hexToBytes(`0x${last.toString(16).padStart(64, '0')}`)),
    fc.nat({ max: 0xff }).map((last) => hexToBytes(addressOf(last))),
    fc.uint8Array({ maxLength: 200 }),
  ),
  gas: fc.oneof({ weight: 4, arbitrary: fc.constant(MUCH_GAS) }, fc.nat({ max: 60_000 })),
});

describe('a call table', () => {
  test('returns the output and gas that each call has when run alone', () => {
    const alone = open();
    fc.assert(
      fc.property(
        fc.array(provided, { minLength: 1, maxLength: MAX_CALLS }),
        fc.constantFrom(1, 700, 5_000, SLICE, SLICE),
        fc.boolean(),
        (list, slice, isFresh) => {
          const evm = isFresh ? open() : alone;
          const calls = encode(list);
          evm.calls.clear();
          for (const [i, call] of calls.entries()) assert.ok(evm.calls.add(call, (list[i] as Given).gas));
          const { count, gasLeft } = evm.calls.run(slice, () => true);
          const ends: number[] = [];
          const digits = evm.calls.readOutputs(count, ends);
          const expected = calls.map((call, i) => runAlone(alone, call, (list[i] as Given).gas));
          let left = 0;
          for (let i = 0; i < count; i++) {
            const { output, isSuccess, used } = expected[i] as (typeof expected)[number];
            assert.ok(isSuccess);
            assert.equal(digits.slice(ends[i - 1] ?? 0, ends[i]), output);
            left += (list[i] as Given).gas - used;
          }
          assert.equal(gasLeft, left);
          const next = list[count];
          if (next === undefined || slice !== SLICE || next.gas !== MUCH_GAS) return;
          assert.ok(!LIBRARY.some(([last, , isPlain]) => isPlain && addressOf(last) === next.to));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('runs every call that fits into one slice', () => {
    const evm = open();
    const plain = LIBRARY.filter(([, , isPlain]) => isPlain).map(([last]) => addressOf(last));
    const list = plain.map((to) => ({ to, from: ZERO, data: new Uint8Array(32), gas: MUCH_GAS }));
    for (const [i, call] of encode(list).entries()) assert.ok(evm.calls.add(call, (list[i] as Given).gas));
    assert.equal(evm.calls.run(SLICE, () => true).count, plain.length);
  });

  test('runs only the calls for which there is time', () => {
    const evm = open();
    const list = Array.from({ length: 10 }, () => ({
      to: addressOf(0xa2),
      from: ZERO,
      data: new Uint8Array(40),
      gas: 100_000,
    }));
    evm.calls.clear();
    for (const [i, call] of encode(list).entries()) assert.ok(evm.calls.add(call, (list[i] as Given).gas));
    // The first entry ends at an account that is not loaded.
    assert.equal(evm.calls.run(SLICE, () => false).count, 0);
    let entries = 0;
    const { count } = evm.calls.run(1, () => entries++ < 7);
    assert.ok(count < list.length);
    assert.equal(evm.calls.run(SLICE, () => true).count, list.length);
  });

  test('accepts a bounded number of calls, and of bytes', () => {
    const evm = open();
    const one = { to: addressOf(0xa2), from: ZERO, data: new Uint8Array(4), gas: 100_000 };
    const calls = encode(Array.from({ length: MAX_CALLS + 1 }, () => one));
    evm.calls.clear();
    assert.deepEqual(
      calls.map((call) => evm.calls.add(call, one.gas)),
      calls.map((_, i) => i < MAX_CALLS),
    );
    const large = { ...one, data: new Uint8Array(20_000) };
    evm.calls.clear();
    const added = encode([large, large, large, large]).map((call) => evm.calls.add(call, one.gas));
    assert.deepEqual(added, [true, true, true, false]);
    // The output of the fourth call would not fit either.
    assert.equal(evm.calls.run(SLICE, () => true).count, 3);
  });
});

describe('CallsAhead', () => {
  const place = { blockNumber: 7n, isPending: false, gasLimit: 100_000 };
  const echo = (data: number): Given => ({
    to: addressOf(0xa2),
    from: ZERO,
    data: Uint8Array.of(data),
    gas: place.gasLimit,
  });
  const reverts: Given = { ...echo(0), to: addressOf(0xb0) };
  const gasFor = (_call: CallBytes, gasLimit: number): number => gasLimit - 21_000;

  /** Creates an EVM that has loaded the state these calls read: one entry of the core runs all of them, however short the slice. */
  function openFor(provided: readonly Given[]): Evm {
    const evm = open();
    for (const call of encode(provided)) runAlone(evm, call, place.gasLimit);
    return evm;
  }

  test('returns each answer once, in order, and only for the block and gas limit of the run', () => {
    const evm = openFor([echo(0)]);
    const ahead = new CallsAhead();
    const calls = encode([1, 2, 3, 4].map(echo));
    const [first, second, third, fourth] = calls as [CallBytes, CallBytes, CallBytes, CallBytes];
    const used = ahead.run(evm, first, place, gasFor);
    assert.equal(ahead.count, 3);
    const alone = runAlone(evm, second, place.gasLimit - 21_000);
    assert.equal(used, 3 * (21_000 + alone.used));
    assert.equal(ahead.take(first, place), undefined);
    assert.equal(ahead.take(second, { ...place, blockNumber: 8n }), undefined);
    assert.equal(ahead.take(second, { ...place, gasLimit: 50_000 }), undefined);
    assert.equal(ahead.take(second, { ...place }), '0x02');
    assert.equal(ahead.take(second, place), undefined);
    // The third call was refused before its turn came, so the fourth is taken instead.
    assert.equal(ahead.take(fourth, place), '0x04');
    assert.equal(ahead.take(third, place), undefined);
  });

  test('stops at a failing call or another block, then runs fewer calls ahead, and more again', () => {
    const evm = openFor([echo(0), reverts]);
    const ahead = new CallsAhead();
    const [first] = encode([echo(1), echo(2), reverts, echo(3)]) as [CallBytes];
    ahead.run(evm, first, place, gasFor);
    assert.equal(ahead.count, 1);
    const [failing] = encode([echo(1), reverts, echo(2)]) as [CallBytes];
    ahead.run(evm, failing, place, gasFor);
    const counts = Array.from({ length: 4 }, () => {
      ahead.run(evm, first, place, gasFor);
      return ahead.count;
    });
    assert.deepEqual(counts, [0, 1, 1, 1]);
    const other = { ...first, block: 3 };
    assert.equal(ahead.run(evm, other, place, gasFor), 0);
    assert.equal(ahead.count, 0);
    const [many] = encode(Array.from({ length: 40 }, (_, i) => echo(i))) as [CallBytes];
    let count = 0;
    for (let i = 0; i < 10 && count < 39; i++) {
      ahead.run(evm, many, place, gasFor);
      count = ahead.count;
    }
    assert.equal(count, 39);
  });
});
