/** Callers choose the addresses and slots that a call accesses; these must not collide in the core's hash tables. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { CORE_LIMITS, startOf } from '../../../../packages/evm/interpreter/core-interface.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import { MEMORY_LIMIT, MessageHarness } from './message-harness.ts';

type Index = { readonly at: number; readonly places: number };
/** Regions of 4-byte pointers; 0 marks a free place. */
const ACCOUNT_INDEX: Index = { at: startOf('accountIndex'), places: CORE_LIMITS.accountIndexSize };
const SLOT_INDEX: Index = { at: startOf('slotIndex'), places: CORE_LIMITS.slotIndexSize };
const GAS = 30_000_000n;
const SEEDS: readonly Uint8Array[] = Array.from({ length: 5 }, (_, draw) =>
  concatBytes(...Array.from({ length: 3 }, (_, part) => keccak256(Uint8Array.of(draw, part)))),
);

/** Assembly that derives a key from a counter on the stack. With an unseeded hash the keys of each of the first three would collide. */
const KEYS: readonly (readonly [name: string, source: string])[] = [
  ['two limbs that cancel each other by rotation', 'DUP1 64 SHL DUP2 17 SHL OR'],
  ['the third limb and the lowest', 'DUP1 128 SHL DUP2 31 SHL OR'],
  ['the fourth limb and the lowest', 'DUP1 192 SHL DUP2 47 SHL OR'],
  ['the highest bits only', 'DUP1 240 SHL'],
  ['the highest bits of each limb', 'DUP1 48 SHL DUP2 112 SHL OR DUP2 176 SHL OR DUP2 240 SHL OR'],
  ['small numbers', 'DUP1'],
];

/** Measures the longest run of taken places. A search stops after eight; a hash that callers can predict makes longer runs. */
function measureLongestRow(
  { memory }: Evm,
  { at, places }: Index,
): {
  readonly taken: number;
  readonly longest: number;
} {
  const view = new DataView(memory.buffer, memory.byteOffset + at, 4 * places);
  let [taken, row, longest] = [0, 0, 0];
  for (let i = 0; i < places; i++) {
    row = view.getUint32(4 * i, true) === 0 ? 0 : row + 1;
    if (row > 0) taken++;
    longest = Math.max(longest, row);
  }
  return { taken, longest };
}

/**
 * Longest run over all seeds. The seeds are fixed because the hash is linear in a counter: about one in some hundred seeds places
 * keys of counters in a row. No caller knows the seed.
 */
function measureRows(program: string, index: Index, least: number): number {
  const rows = SEEDS.map((seed) => {
    const harness = new MessageHarness('osaka', undefined, MEMORY_LIMIT, seed);
    harness.run(program, GAS);
    const { taken, longest } = measureLongestRow(harness.evm, index);
    assert.ok(taken >= least, `${taken} places`);
    return longest;
  });
  return Math.max(...rows);
}

describe('hash tables of the core', () => {
  test('slots and accounts chosen by a caller collide no more than others', () => {
    for (const [name, key] of KEYS) {
      const program = `0 loop: 1 ADD DUP1 ${key} TSTORE DUP1 20000 GT @loop JUMPI`;
      const longest = measureRows(program, SLOT_INDEX, 20_000);
      assert.ok(longest <= 12, `${name}: ${longest} slots in a row`);
    }
    for (const key of ['DUP1', 'DUP1 64 SHL DUP2 23 SHL OR', 'DUP1 144 SHL', 'DUP1 128 SHL DUP2 40 SHL OR']) {
      const program = `0 loop: 1 ADD ${key} BALANCE POP DUP1 8000 GT @loop JUMPI`;
      const longest = measureRows(program, ACCOUNT_INDEX, 8_000);
      assert.ok(longest <= 24, `${key}: ${longest} accounts in a row`);
    }
  });

  test('values written under colliding keys are found again', () => {
    for (const [name, key] of KEYS) {
      const { status } = new MessageHarness().run(
        `0 write: 1 ADD DUP1 ${key} TSTORE DUP1 5000 GT @write JUMPI POP
        0 read: 1 ADD DUP1 ${key} TLOAD EQ ISZERO @lost JUMPI DUP1 5000 GT @read JUMPI STOP
        lost: INVALID`,
        GAS,
      );
      assert.equal(status, 'success', name);
    }
  });

  test('a small slot index uses only its beginning, and values are found again after it grows', () => {
    const write = (count: number): string =>
      `0 write: 1 ADD DUP1 DUP1 TSTORE DUP1 ${count} GT @write JUMPI POP`;
    const small = new MessageHarness();
    small.run(write(2_000), GAS);
    const { places, at } = SLOT_INDEX;
    const begun = measureLongestRow(small.evm, { at, places: 1 << 16 });
    assert.ok(begun.taken >= 2_000);
    assert.equal(measureLongestRow(small.evm, SLOT_INDEX).taken, begun.taken);
    // The table grows at 8,192 and 65,536 slots.
    const large = new MessageHarness();
    const { status } = large.run(
      `${write(140_000)}
      0 read: 1 ADD DUP1 DUP1 TLOAD EQ ISZERO @lost JUMPI DUP1 140000 GT @read JUMPI STOP
      lost: INVALID`,
      10n * GAS,
    );
    assert.equal(status, 'success');
    const { taken } = measureLongestRow(large.evm, { at, places });
    assert.ok(taken >= 140_000 && taken < 140_100, `${taken} places`);
  });

  test('accounts are found again after their index grows, each once', () => {
    const harness = new MessageHarness();
    // The table grows at 512 and 4,096 accounts.
    const ask = (label: string): string =>
      `0 ${label}: 1 ADD DUP1 160 SHR DUP2 OR BALANCE POP DUP1 6000 GT @${label} JUMPI POP`;
    harness.run(`${ask('first')} ${ask('second')}`, GAS);
    const { taken } = measureLongestRow(harness.evm, ACCOUNT_INDEX);
    assert.ok(taken >= 6_000 && taken < 6_030, `${taken} accounts`);
  });
});
