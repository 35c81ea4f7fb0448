/**
 * Formats a count with its noun: `1 block`, `17 blocks`, `2,000 entries`. `toLocaleString` would format the same, but its first call maps 5 MB of
 * locale data into a serving process.
 * @param count integer, not negative
 * @param plural the noun with an s by default
 */
export function countOf(count: number | bigint, noun: string, plural: string = `${noun}s`): string {
  let text = String(count);
  for (let at = text.length - 3; at > 0; at -= 3) text = `${text.slice(0, at)},${text.slice(at)}`;
  return `${text} ${Number(count) === 1 ? noun : plural}`;
}
