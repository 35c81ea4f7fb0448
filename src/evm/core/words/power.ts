import { mulWords } from './multiply.ts';
import { copyWord, setU64 } from './word.ts';

const BASE: usize = memory.data(32, 16);
const RESULT: usize = memory.data(32, 16);

@inline
function countBits(p: usize): u32 {
  for (let i: i32 = 3; i >= 0; i--) {
    const limb = load<u64>(p + (<usize>i << 3));
    if (limb != 0) return (<u32>i << 6) + 64 - <u32>i64.clz(limb);
  }
  return 0;
}

/** Bytes of the exponent at `p` without leading zeros: what EXP's gas depends on. */
export function expByteLength(p: usize): u32 {
  return (countBits(p) + 7) >> 3;
}

/** Square and multiply from the exponent's top bit down. */
export function exp(sp: usize): void {
  const exponent = sp - 32;
  const bits = countBits(exponent);
  copyWord(BASE, sp);
  setU64(RESULT, 1);
  for (let i = <i32>bits - 1; i >= 0; i--) {
    mulWords(RESULT, RESULT, RESULT);
    if ((load<u8>(exponent + (<usize>i >> 3)) >> <u8>(i & 7)) & 1) mulWords(RESULT, RESULT, BASE);
  }
  copyWord(exponent, RESULT);
}
