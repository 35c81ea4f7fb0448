/** Boundaries between groups of three digits. */
const GROUPS = /\B(?=(?:\d{3})+$)/g;

/**
 * Formats a count, an integer, with its noun: `1 block`, `17 blocks`, `2,000 entries`. `toLocaleString` would format the same, but its first call maps
 * 5 MB of locale data into a serving process.
 * @param plural the noun with an s by default
 */
export function countOf(count: number | bigint, noun: string, plural: string = `${noun}s`): string {
  return `${String(count).replace(GROUPS, ',')} ${Number(count) === 1 ? noun : plural}`;
}
