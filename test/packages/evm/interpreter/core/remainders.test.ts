/** Products with remainders next to 0 and next to the divisor, where an estimated quotient is most likely off by one. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createOperandSource } from './operands.ts';
import { createWordModule, WORD_BODIES, type WordModule } from './word-module.ts';

const DIVISORS = Number(process.env['PORTCULLIS_WORD_CASES'] ?? 12_000) / 60;
const PRODUCTS_PER_DIVISOR = 24;
const SEED = BigInt(process.env['PORTCULLIS_WORD_SEED'] ?? 1) + 77n;

/** Computes a^-1 modulo m; undefined when they have a common factor. */
function invert(a: bigint, m: bigint): bigint | undefined {
  let [r, next] = [m, a % m];
  let [t, factor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, factor] = [factor, t - quotient * factor];
  }
  return r === 1n ? ((t % m) + m) % m : undefined;
}

describe('MULMOD', () => {
  let module: WordModule;
  let top: number;
  before(async () => {
    module = await createWordModule(WORD_BODIES);
    top = module.scratch + 128;
  });

  function write(at: number, value: bigint): void {
    for (let limb = 0; limb < 4; limb++)
      module.memory.setBigUint64(at + 8 * limb, BigInt.asUintN(64, value >> BigInt(64 * limb)), true);
  }

  function multiply(a: bigint, b: bigint, divisor: bigint): bigint {
    write(top, a);
    write(top - 32, b);
    write(top - 64, divisor);
    module.call('mulmod', top);
    let value = 0n;
    for (let limb = 3; limb >= 0; limb--)
      value = (value << 64n) | module.memory.getBigUint64(top - 64 + 8 * limb, true);
    return value;
  }

  it('computes remainders next to 0 and next to the divisor', () => {
    const source = createOperandSource(SEED);
    for (let round = 0; round < DIVISORS; round++) {
      const divisor = source.next() | 1n;
      const remainders = [0n, 1n, 2n, divisor - 1n, divisor - 2n, divisor - (divisor >> 28n), divisor >> 1n];
      for (let i = 0; i < PRODUCTS_PER_DIVISOR; i++) {
        const a = source.next();
        const inverse = invert(a, divisor);
        if (inverse === undefined) continue;
        const remainder = (remainders[i % remainders.length] as bigint) % divisor;
        // Any b of this residue class that fits is valid; the highest ones have the longest quotients.
        const least = (remainder * inverse) % divisor;
        const multiples = (2n ** 256n - 1n - least) / divisor;
        const b = least + divisor * (source.nextIndex(2) === 0 ? multiples : 0n);
        const result = multiply(a, b, divisor);
        if (result !== remainder % divisor) {
          assert.fail(`0x${a.toString(16)} * 0x${b.toString(16)} mod 0x${divisor.toString(16)}`);
        }
      }
    }
  });

  function check(a: bigint, b: bigint, divisor: bigint): void {
    const result = multiply(a, b, divisor);
    if (result !== (a * b) % divisor) {
      assert.fail(`0x${a.toString(16)} * 0x${b.toString(16)} mod 0x${divisor.toString(16)}`);
    }
  }

  it('is correct for squares, and for factors next to powers of two', () => {
    const source = createOperandSource(SEED + 1n);
    for (let round = 0; round < DIVISORS; round++) {
      // The third product by a divisor is the first that uses precomputation; divisors of 248 bits are not shifted.
      const least = 1n << BigInt(240 + source.nextIndex(16));
      const divisor = round % 2 === 0 ? source.next() | 1n : least + (source.next() % least);
      for (let i = 0; i < PRODUCTS_PER_DIVISOR; i++) {
        const a = source.next();
        check(a, a, divisor);
        const power = 1n << BigInt(source.nextIndex(32));
        for (const factor of [power - 1n, power, power + 1n]) {
          check(a, factor, divisor);
          check(factor, divisor - 1n, divisor);
          // The lowest and the highest remainder that a multiple of the factor can have.
          const multiples = (factor * (2n ** 256n - 1n)) / divisor;
          if (factor === 0n || multiples === 0n) continue;
          const word = (multiples * divisor) / factor;
          check(word, factor, divisor);
          if (word + 1n < 2n ** 256n) check(word + 1n, factor, divisor);
        }
      }
    }
  });
});
