/** Units by their first letters in lower case, largest first. SI units are powers of 1000, IEC units (with `i`) powers of 1024. */
const UNITS: readonly (readonly [name: string, bytes: number])[] = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
  ['B', 1],
];

export const SIZE_HINT =
  'expected a number of bytes, or a size such as 512kB, 5MB (5,000,000 bytes) or 5MiB (5,242,880 bytes)';

/** Number and unit of a size, in any case of the letters. */
export const SIZE_PATTERN: RegExp = /^(\d{1,15}(?:\.\d{1,6})?) ?((?:[kKmMgGtT][iI]?)?[bB])$/;

/**
 * Parses a size such as `512kB`, `1.5 MB` or `5MiB` to bytes, rounded to a whole number.
 * @throws RangeError for any other text, and for a number without a unit
 */
export function parseSize(text: string): number {
  const [, amount, written = ''] = SIZE_PATTERN.exec(text) ?? [];
  const [, bytes] = UNITS.find(([name]) => name.toLowerCase() === written.toLowerCase()) ?? [];
  if (bytes === undefined) throw new RangeError(SIZE_HINT);
  return Math.round(Number(amount) * bytes);
}

/** Formats a size in the form that `parseSize` accepts, without loss, in the largest unit of which it is a whole multiple. */
export function formatSize(bytes: number): string {
  const [name, unit] = UNITS.find(([, one]) => bytes > 0 && bytes % one === 0) ?? ['B', 1];
  return `${bytes / unit}${name}`;
}
