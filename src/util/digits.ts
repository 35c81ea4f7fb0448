/** Largest number of three digits, plus one. */
const GROUP = 1_000;

/** Texts of 0 to 999 with three digits. */
const PADDED: readonly string[] = Array.from({ length: GROUP }, (_, value) => String(value).padStart(3, '0'));
/** Texts of 0 to 999 without leading zeros. */
const PLAIN: readonly string[] = Array.from({ length: GROUP }, (_, value) => String(value));

/**
 * Formats a changing number in decimal. `String` is slower for numbers from 2^31 on, and V8 caches its results, so that each text outlives two
 * collections of the young generation.
 * @param value integer from 0 to 2^53 - 1
 */
export function formatDigits(value: number): string {
  let text = '';
  let rest = value;
  while (rest >= GROUP) {
    const left = Math.floor(rest / GROUP);
    text = `${PADDED[rest - left * GROUP]}${text}`;
    rest = left;
  }
  return `${PLAIN[rest]}${text}`;
}
