/** Arbitrary bytes as code and calldata yield an answer or a chain error; nothing crashes or hangs. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { OPCODES } from '../../../scripts/opcodes.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import { countRuns } from '../../support/count-runs.ts';
import { CallHarness, PROGRAM } from './call-harness.ts';

const RUNS: number = countRuns(400);
/** Instructions with small operands before them get further than random bytes. */
const instruction = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant(0x60), fc.nat(255)) },
  { weight: 2, arbitrary: fc.constantFrom(...OPCODES.values()).map((opcode) => [opcode]) },
  { weight: 1, arbitrary: fc.nat(255).map((opcode) => [opcode]) },
);
const code = fc
  .array(instruction, { maxLength: 120, size: 'max' })
  .map((parts) => Uint8Array.from(parts.flat()));
const PRECOMPILES = Array.from({ length: 17 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);

describe('arbitrary input', () => {
  let harness: CallHarness;
  before(async () => {
    harness = await CallHarness.open({ revision: 'osaka' });
  });
  after(async () => {
    await harness.opened.close();
    assert.deepEqual(harness.opened.faults, []);
  });

  async function settles(answer: Promise<string | bigint>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      assert.ok(error instanceof ChainError, String(error));
      assert.notEqual(error.kind, 'timeout');
    }
  }

  test('as code yields a result or a chain error', async () => {
    await fc.assert(
      fc.asyncProperty(code, fc.uint8Array({ maxLength: 64 }), async (program, data) => {
        const stateOverrides = { [PROGRAM]: { code: bytesToHex(program) } };
        const call = { to: PROGRAM, data: bytesToHex(data), gas: '0x30d40' };
        await settles(harness.call(call, { stateOverrides }));
        await settles(harness.estimate(call, { stateOverrides }));
      }),
      { numRuns: RUNS },
    );
  });

  test('as init code yields a result or a chain error', async () => {
    await fc.assert(
      fc.asyncProperty(code, (program) =>
        settles(harness.call({ data: bytesToHex(program), gas: '0x30d40' })),
      ),
      { numRuns: RUNS },
    );
  });

  test('as calldata of precompiles yields a result or a chain error', async () => {
    const lengths = fc.constantFrom(0, 1, 32, 64, 96, 128, 160, 192, 213, 256, 288, 384, 768);
    const input = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length + 1 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PRECOMPILES), input, (to, data) =>
        settles(harness.call({ to, data: bytesToHex(data), gas: '0xf4240' })),
      ),
      { numRuns: RUNS },
    );
  });

  test('as numeric fields of a call yields a result or a chain error', async () => {
    const quantity = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 256n - 1n),
    );
    const text = (value: bigint): string => `0x${value.toString(16)}`;
    const gas = quantity.map((value) => text(value % 2n ** 64n));
    const numbers = fc.record(
      { gas, value: quantity.map(text), nonce: gas, gasPrice: quantity.map(text) },
      { requiredKeys: [] },
    );
    const block = fc.record(
      { number: quantity.map(text), time: gas, gasLimit: gas, baseFeePerGas: quantity.map(text) },
      { requiredKeys: [] },
    );
    const source = { [PROGRAM]: { code: '0x43405045504850495000' } };
    await fc.assert(
      fc.asyncProperty(numbers, block, async (call, blockOverrides) => {
        await settles(harness.call({ to: PROGRAM, ...call }, { stateOverrides: source, blockOverrides }));
        await settles(harness.estimate({ to: PROGRAM, ...call }, { stateOverrides: source, blockOverrides }));
      }),
      { numRuns: RUNS },
    );
  });
});
