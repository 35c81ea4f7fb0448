/** Formats a count with its noun: `1 block`, `17 blocks`, `2,000 entries`. @param plural the noun with an s by default */
export function countOf(count: number | bigint, noun: string, plural: string = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${Number(count) === 1 ? noun : plural}`;
}
