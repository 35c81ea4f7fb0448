/** A precompile that runs in steps, interleaved with others, has the same result as in one piece. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToBigInt, concatBytes } from '../../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import { LargeModulus } from '../../../../../packages/evm/interpreter/precompiles/large-modulus.ts';
import { raiseModulo } from '../../../../../packages/evm/interpreter/precompiles/power-modulo.ts';
import type { Precompile } from '../../../../../packages/evm/interpreter/precompiles/precompile.ts';
import { createPrecompiles } from '../../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import { finishSteps, type Steps } from '../../../../../packages/evm/interpreter/precompiles/steps.ts';
import { rulesOf } from '../../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../../src/engine/node-cryptography.ts';
import { countRuns } from '../../../../support/count-runs.ts';
import { encodeNumber, VALID_INPUTS } from './inputs.ts';

const PRAGUE = createPrecompiles(createNodeCryptography()).of(rulesOf('prague'));
const STEPWISE = [...PRAGUE].filter(([, precompile]) => precompile.steps !== undefined);

/** Bytes of a pair or product; inputs may have any number of them. */
const RECORD_BYTES: Readonly<Record<number, number>> = { 8: 192, 12: 160, 14: 288, 15: 384 };

function modexpInput(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array {
  const lengths = [base, exponent, modulus].map(({ length }) => encodeNumber(length));
  return concatBytes(...lengths, base, exponent, modulus);
}

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: 1, maxLength });
const modexp = fc.tuple(bytes(300), bytes(40), bytes(300)).map((parts) => modexpInput(...parts));
const blake = fc.integer({ min: 0, max: 100_000 }).map((rounds) => {
  const input = (VALID_INPUTS.get(9) as Uint8Array).slice();
  new DataView(input.buffer).setUint32(0, rounds);
  return input;
});
const long = fc.nat(400_000).map((length) => new Uint8Array(length).fill(length));

/** Valid inputs of any length, some with a byte changed. */
function inputsOf(address: number): fc.Arbitrary<Uint8Array> {
  if (address === 2 || address === 3) return long;
  if (address === 5) return modexp;
  if (address === 9) return blake;
  const valid = VALID_INPUTS.get(address) as Uint8Array;
  const record = RECORD_BYTES[address];
  const whole =
    record === undefined
      ? fc.constant(valid)
      : fc
          .array(fc.nat(valid.length / record - 1), { maxLength: 9 })
          .map((records) =>
            concatBytes(
              ...records.map((i) => valid.subarray(i * record, (i + 1) * record)),
              new Uint8Array(0),
            ),
          );
  const change = fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 3 });
  return fc.tuple(whole, change).map(([input, changed]) => {
    const copy = input.slice();
    if (changed !== null && copy.length > 0) copy[changed[0] % copy.length] = changed[1];
    return copy;
  });
}

const task = fc
  .constantFrom(...STEPWISE)
  .chain(([address, precompile]) => inputsOf(address).map((input) => ({ precompile, input })));

function begin({
  precompile,
  input,
}: {
  precompile: Precompile;
  input: Uint8Array;
}): Steps<Uint8Array | undefined> {
  assert.ok(precompile.steps !== undefined);
  return precompile.steps(input);
}

const text = (output: Uint8Array | undefined): string =>
  output === undefined ? 'failure' : bytesToHex(output);

describe('precompiles that run in steps', () => {
  test('are hashes, modexp, blake2f, KZG, pairings and multi-scalar multiplications', () => {
    const addresses = STEPWISE.map(([address]) => address);
    assert.deepEqual(
      addresses.sort((a, b) => a - b),
      [2, 3, 5, 8, 9, 10, 12, 14, 15],
    );
  });

  test('have the same result when interleaved with others or abandoned and restarted', () => {
    const property = fc.property(
      fc.array(task, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      fc.nat(5),
      (tasks, slots, givenUp) => {
        const expected = tasks.map(({ precompile, input }) => text(precompile.run(input)));
        const running = tasks.map(begin);
        const answers = new Map<number, string>();
        let count = 0;
        for (const turn of slots) {
          const open = [...tasks.keys()].filter((i) => !answers.has(i));
          const i = open[turn % open.length];
          if (i === undefined) break;
          // One of them is begun, abandoned and begun again.
          if (++count === 3 && givenUp === i) running[i] = begin(tasks[i] as (typeof tasks)[number]);
          const step = (running[i] as Steps<Uint8Array | undefined>).next();
          if (step.done) answers.set(i, text(step.value));
        }
        assert.deepEqual(
          tasks.map((_, i) => answers.get(i)),
          expected,
        );
      },
    );
    fc.assert(property, { numRuns: countRuns(60) });
  });

  test('do not change the input', () => {
    for (const [address, precompile] of STEPWISE) {
      const input = (VALID_INPUTS.get(address) as Uint8Array).slice();
      finishSteps(begin({ precompile, input }));
      assert.deepEqual(input, VALID_INPUTS.get(address));
    }
  });
});

/** Numbers of this many bytes, including the ends of their range. */
const sized = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.tuple(fc.nat(255), fc.nat(2 ** 32 - 1), fc.boolean()).map(([first, seed, isSparse]) => {
    const number = new Uint8Array(length);
    let state = seed | 1;
    for (let i = 0; i < length && !(isSparse && i > 4 && i < length - 4); i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      number[i] = state >>> 24;
    }
    number[0] = first;
    return number;
  });
const lengths = fc.constantFrom(1, 3, 8, 100, 2_047, 2_048, 2_049, 5_000, 8_191, 8_192, 8_193, 9_000, 40_000);

describe('modular exponentiation', () => {
  test('agrees with multiplication and remainder for operands of any length', () => {
    const property = fc.property(
      lengths.chain(sized),
      fc.uint8Array({ maxLength: 2 }),
      lengths.chain(sized),
      (base, exponent, modulus) => {
        const number = BigInt(bytesToHex(modulus));
        fc.pre(number > 0n);
        const factor = BigInt(bytesToHex(base)) % number;
        let expected = 1n % number;
        for (const bit of exponent.length === 0 ? '' : bytesToBigInt(exponent).toString(2)) {
          expected = (expected * expected) % number;
          if (bit === '1') expected = (expected * factor) % number;
        }
        assert.equal(finishSteps(raiseModulo(base, exponent, modulus)), expected);
      },
    );
    fc.assert(property, { numRuns: countRuns(60) });
  });

  test('reduces exactly by a large modulus, up to twice its length', () => {
    const property = fc.property(sized(20_001), sized(20_000), sized(20_001), (a, b, modulus) => {
      if (modulus[0] === 0) modulus[0] = 1;
      const [number, first, second] = [modulus, a, b].map((part) => BigInt(bytesToHex(part))) as [
        bigint,
        bigint,
        bigint,
      ];
      const large = finishSteps(LargeModulus.create(number, 8 * modulus.length));
      assert.equal(finishSteps(large.multiply(first % number, second)), ((first % number) * second) % number);
      const most = (1n << BigInt(16 * modulus.length)) - 1n;
      assert.equal(finishSteps(large.reduce(most)), most % number);
      assert.equal(finishSteps(large.reduce(number * number - 1n)), number - 1n);
    });
    fc.assert(property, { numRuns: 20 });
  });
});
