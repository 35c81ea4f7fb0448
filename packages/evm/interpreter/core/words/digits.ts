/** Words as nine digits of 29 bits (the topmost has 24 bits), each stored in 32 bits. */
export const DIGIT_BITS: u64 = 29;
export const DIGIT: u64 = (1 << DIGIT_BITS) - 1;
export const DIGITS: usize = 9;

@inline
export function digit(digits: usize, index: usize): u64 {
  return <u64>load<u32>(digits + (index << 2));
}

@inline
export function setDigit(digits: usize, index: usize, value: u64): void {
  store<u32>(digits + (index << 2), <u32>value);
}

/** Returns the digit that begins at bit `from` of a limb. */
@inline
export function digitIn(limb: u64, from: u64): u64 {
  return (limb >> from) & DIGIT;
}

/** Returns the digit that begins at bit `from` of a limb and ends in the next limb. */
@inline
export function digitAcross(limb: u64, next: u64, from: u64): u64 {
  return ((limb >> from) | (next << (64 - from))) & DIGIT;
}

/** Writes the digits of a word. */
@inline
export function splitWord(digits: usize, word: usize): void {
  const limb0 = load<u64>(word);
  const limb1 = load<u64>(word, 8);
  const limb2 = load<u64>(word, 16);
  const limb3 = load<u64>(word, 24);
  setDigit(digits, 0, digitIn(limb0, 0));
  setDigit(digits, 1, digitIn(limb0, 29));
  setDigit(digits, 2, digitAcross(limb0, limb1, 58));
  setDigit(digits, 3, digitIn(limb1, 23));
  setDigit(digits, 4, digitAcross(limb1, limb2, 52));
  setDigit(digits, 5, digitIn(limb2, 17));
  setDigit(digits, 6, digitAcross(limb2, limb3, 46));
  setDigit(digits, 7, digitIn(limb3, 11));
  setDigit(digits, 8, limb3 >> 40);
}
