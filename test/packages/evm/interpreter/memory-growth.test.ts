/** Memory grows by megabytes in steps; the instruction restarts after each step and is charged once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Revision } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { MessageHarness, numberOf } from './message-harness.ts';

const GAS = 200_000_000n;
const MiB = 2 ** 20;

/** Price of a memory size in bytes (yellow paper H.1). */
function costOf(bytes: number): bigint {
  const words = BigInt(Math.ceil(bytes / 32));
  return words * 3n + words ** 2n / 512n;
}

/** Instructions that extend memory to `end`; those with two ranges pay for the lower one first. */
const PROGRAMS: readonly (readonly [source: string, end: number, revision?: Revision])[] = [
  ['1 0x300005 MSTORE', 3 * MiB + 5 + 32],
  ['1 0x300005 MSTORE8', 3 * MiB + 6],
  ['0x500000 MLOAD POP', 5 * MiB + 32],
  ['0x300000 7 0x100001 CALLDATACOPY', 4 * MiB + 1],
  ['0x300000 7 0x100001 CODECOPY', 4 * MiB + 1],
  ['0x300000 7 0x100001 0x1234 EXTCODECOPY', 4 * MiB + 1],
  ['0x200000 0x400000 0x100000 MCOPY', 6 * MiB],
  ['0x200000 0x100000 0x400000 MCOPY', 6 * MiB],
  ['0x300000 3 SHA3 POP', 3 * MiB + 3],
  ['0x300000 3 LOG0', 3 * MiB + 3],
  ['0x200000 0x400000 0x200000 0x100000 0 0x1234 0 CALL POP', 6 * MiB],
  ['0x200000 0x100000 0x200000 0x400000 0 0x1234 0 CALL POP', 6 * MiB],
  ['0x200000 0x400000 0x200000 0x100000 0x1234 0 STATICCALL POP', 6 * MiB],
  ['0x180000 3 0 CREATE POP', 1.5 * MiB + 3, 'london'],
];

describe('memory growth by megabytes', () => {
  for (const [source, end, revision = 'prague'] of PROGRAMS) {
    test(`is charged once: ${source}`, () => {
      // The second run pays only for the instruction itself.
      const run = `GAS ${source} GAS SWAP1 SUB`;
      const program = `0x1234 BALANCE POP ${run} ${run} SWAP1 SUB 0 MSTORE 32 0 RETURN`;
      for (const slice of [50_000n, 1n, 10_000_000n]) {
        const result = new MessageHarness(revision).run(program, GAS, { slice });
        assert.equal(result.status, 'success');
        assert.equal(numberOf(result), costOf(end), `slices of ${slice}`);
      }
    });
  }

  test('does not happen if the gas does not pay for all of it', () => {
    const harness = new MessageHarness('prague');
    assert.equal(harness.run('0x1000000 MLOAD', costOf(16 * MiB)).reason, 'out of gas');
    assert.ok(harness.evm.memoryPeak < MiB);
  });
});
