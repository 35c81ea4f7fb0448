
/** Returns the value of a hex digit; above 15 for any other character. */
@inline
export function digitAt(text: usize): u32 {
  const c = <u32>load<u8>(text);
  const decimal = c - 0x30;
  if (decimal < 10) return decimal;
  const letter = (c | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

@inline
function areHex(characters: v128): v128 {
  const decimals = i8x16.lt_u(i8x16.sub(characters, i8x16.splat(0x30)), i8x16.splat(10));
  const lower = v128.or(characters, i8x16.splat(0x20));
  return v128.or(decimals, i8x16.lt_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(6)));
}

/** Decodes 16 hex digits into 8 bytes, each in a 16-bit lane. */
@inline
function joinDigits(characters: v128): v128 {
  const letters = i8x16.gt_s(characters, i8x16.splat(0x39));
  // The low four bits of the ASCII codes of the letters a to f are the digit's value minus 9.
  const values = i8x16.add(v128.and(characters, i8x16.splat(15)), v128.and(letters, i8x16.splat(9)));
  return v128.and(v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8)), i16x8.splat(0xff));
}

/** Decodes `length` bytes from hex digits into `target`. @returns false if a character is not a hex digit */
export function decode(text: usize, length: usize, target: usize): bool {
  let areDigits = i8x16.splat(-1);
  let i: usize = 0;
  for (; i + 16 <= length; i += 16) {
    const first = v128.load(text + 2 * i);
    const second = v128.load(text + 2 * i + 16);
    areDigits = v128.and(areDigits, v128.and(areHex(first), areHex(second)));
    v128.store(target + i, i8x16.narrow_i16x8_u(joinDigits(first), joinDigits(second)));
  }
  if (!i8x16.all_true(areDigits)) return false;
  for (; i < length; i++) {
    const high = digitAt(text + 2 * i);
    const low = digitAt(text + 2 * i + 1);
    if ((high | low) > 15) return false;
    store<u8>(target + i, <u8>((high << 4) | low));
  }
  return true;
}
