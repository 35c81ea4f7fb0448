import { maxBigInt, minBigInt } from '../../../ethereum/primitives/bigint.ts';
import { bytesToBigInt, EMPTY_BYTES } from '../../../ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../ethereum/primitives/hex.ts';
import type { ModexpPricing } from './modexp-gas.ts';
import { parseInteger, raiseModulo } from './power-modulo.ts';
import { type Precompile, readPadded, UNAFFORDABLE } from './precompile.ts';
import { finishSteps, type Steps } from './steps.ts';

/** Lengths of base, exponent and modulus, one word each. */
const HEADER_BYTES = 96;
/** Limit of base and modulus before EIP-7823, bytes. Operands above this limit would cost more than 3 Ggas, which exceeds every block gas limit. */
const OPERAND_LIMIT = 2n ** 20n;

type Lengths = { readonly base: bigint; readonly exponent: bigint; readonly modulus: bigint };

function parseLengths(input: Uint8Array): Lengths {
  const [base, exponent, modulus] = [0, 32, 64].map((start) => bytesToBigInt(readPadded(input, start, 32)));
  return { base, exponent, modulus } as Lengths;
}

/** Returns the offset of the exponent, which may be past the end of the input. */
function locateExponent(input: Uint8Array, base: bigint): number {
  return HEADER_BYTES + Number(minBigInt(base, BigInt(input.length)));
}

function readExponentHead(input: Uint8Array, { base, exponent }: Lengths): bigint {
  const length = Number(minBigInt(exponent, 32n));
  return bytesToBigInt(readPadded(input, locateExponent(input, base), length));
}

function* computeResult(input: Uint8Array, lengths: Lengths): Steps<Uint8Array> {
  const modulusBytes = Number(lengths.modulus);
  const exponentStart = locateExponent(input, lengths.base);
  const exponentEnd = exponentStart + Number(lengths.exponent);
  const modulus = readPadded(input, exponentEnd, modulusBytes);
  // If base or exponent extend past the input, the modulus is zero. If the modulus is not zero, base and exponent are therefore complete and need no
  // padding.
  if (parseInteger(modulus) === 0n) return new Uint8Array(modulusBytes);
  const base = input.subarray(HEADER_BYTES, exponentStart);
  const exponent = input.subarray(exponentStart, exponentEnd);
  return encodeInteger(yield* raiseModulo(base, exponent, modulus), modulusBytes);
}

/** Encodes an integer as big-endian in `length` bytes, which must suffice. */
function encodeInteger(value: bigint, length: number): Uint8Array {
  return hexToBytes(`0x${value.toString(16).padStart(2 * length, '0')}`);
}

/**
 * 0x05: modular exponentiation (EIP-198).
 * @param lengthLimit maximum length of base, exponent and modulus, bytes; longer ones fail
 */
export function createModexp(
  price: ModexpPricing,
  lengthLimit: number = Number.POSITIVE_INFINITY,
): Precompile {
  function* steps(input: Uint8Array): Steps<Uint8Array | undefined> {
    const lengths = parseLengths(input);
    const { base, exponent, modulus } = lengths;
    const operand = maxBigInt(base, modulus);
    if (maxBigInt(operand, exponent) > lengthLimit) return undefined;
    if (operand === 0n) return EMPTY_BYTES;
    return operand > OPERAND_LIMIT ? undefined : yield* computeResult(input, lengths);
  }
  return {
    name: 'modexp',
    gas: (input) => {
      const lengths = parseLengths(input);
      const gas = price({
        operandBytes: maxBigInt(lengths.base, lengths.modulus),
        exponentBytes: lengths.exponent,
        exponentHead: readExponentHead(input, lengths),
      });
      return Number(minBigInt(gas, BigInt(UNAFFORDABLE)));
    },
    run: (input) => finishSteps(steps(input)),
    steps,
    explain: () => `one or more of base/exponent/modulus length exceeded ${lengthLimit} bytes`,
  };
}
