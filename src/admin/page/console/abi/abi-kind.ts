import type { TextKind } from '../text-field.ts';
import { ValueProblem } from '../values.ts';

/** Creates the kind of a text field for an ABI type that is not an array, a tuple or a boolean. */
export function createAbiKind(type: string): TextKind {
  const integer = /^(u?)int(\d+)$/.exec(type);
  const facts = { format: formatArgument, help: '', isLong: false, isNumber: false, choices: [] };
  if (integer !== null) {
    const [, unsigned, bits] = integer;
    return {
      ...facts,
      parse: (text) => parseInteger(text, unsigned !== '', Number(bits)),
      placeholder: 'decimal, 0x hex, or 1e18',
      isNumber: true,
      isEmptyValid: false,
    };
  }
  if (type === 'string') {
    return { ...facts, parse: (text) => text, placeholder: 'empty text', isEmptyValid: true };
  }
  const size = type === 'address' ? 20 : type === 'function' ? 24 : Number(type.slice('bytes'.length));
  const isFixed = size > 0;
  return {
    ...facts,
    parse: (text) => parseBytes(text, isFixed ? size : undefined),
    placeholder: isFixed ? `0x and ${size * 2} hex digits` : '0x and pairs of hex digits',
    isLong: !isFixed,
    isEmptyValid: false,
  };
}

function formatArgument(value: unknown): string {
  return value === undefined ? '' : String(value);
}

/** @throws ValueProblem for anything but a number of this type */
function parseInteger(text: string, isUnsigned: boolean, bits: number): bigint {
  const plain = text.replace(/[_,\s]/g, '');
  const power = /^(\d+)e(\d{1,2})$/.exec(plain);
  if (power === null && !/^(-?\d+|0x[0-9a-f]+)$/i.test(plain)) {
    throw new ValueProblem('expected a number: decimal, 0x hex, or 1e18');
  }
  const value = power === null ? BigInt(plain) : BigInt(power[1] ?? '') * 10n ** BigInt(power[2] ?? '');
  const fits = isUnsigned ? value >= 0n && value < 2n ** BigInt(bits) : BigInt.asIntN(bits, value) === value;
  if (!fits)
    throw new ValueProblem(`expected a number of ${bits} bits${isUnsigned ? ' that is not negative' : ''}`);
  return value;
}

/** @throws ValueProblem for anything but this many bytes in hex */
function parseBytes(text: string, size: number | undefined): string {
  const plain = text.trim();
  if (!/^0x([0-9a-f]{2})*$/i.test(plain)) throw new ValueProblem('expected 0x and pairs of hex digits');
  const bytes = (plain.length - 2) / 2;
  if (size !== undefined && bytes !== size) {
    throw new ValueProblem(`expected ${size} bytes: 0x and ${size * 2} hex digits`);
  }
  return plain.toLowerCase();
}
