/** Quantities: `0x` hex integers without leading zeros (execution-apis `uint`), with the error texts of geth's hexutil. */

/** Encodes an unsigned integer: `0x0`, `0x1f`, ... */
export function encodeQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/**
 * Parses a quantity of at most `bits` bits. Upper-case digits are accepted, leading zeros are not.
 * @throws RangeError with geth's text for the fault
 */
export function parseQuantity(text: string, bits = 256): bigint {
  const problem = findQuantityProblem(text, bits);
  if (problem !== undefined) throw new RangeError(problem);
  return BigInt(text);
}

/** Returns geth's error text for a malformed quantity or one of more than `bits` bits; undefined for a valid one. */
export function findQuantityProblem(text: string, bits = 256): string | undefined {
  if (!text.startsWith('0x') && !text.startsWith('0X')) return 'hex string without 0x prefix';
  if (text.length === 2) return 'hex string "0x"';
  if (text.length > 3 && text.charCodeAt(2) === 48) return 'hex number with leading zero digits';
  if (!/^0[xX][0-9a-fA-F]+$/.test(text)) return 'invalid hex string';
  return text.length - 2 > bits / 4 ? `hex number > ${bits} bits` : undefined;
}
