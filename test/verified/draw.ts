import { createHash } from 'node:crypto';

/**
 * Draws a share of the items, at least one: those whose names have the lowest hashes. An item that exists in only one of two runs takes or
 * leaves one place, and does not shift all others as a draw by index would.
 * @param nameOf names an item uniquely, including what distinguishes the draw
 */
export function drawRanked<T>(items: readonly T[], share: number, nameOf: (item: T) => string): readonly T[] {
  const count = Math.ceil(items.length * share);
  if (count >= items.length) return items;
  const ranked = items.map((item) => ({ item, rank: rankOf(nameOf(item)) }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ item }) => item);
}

function rankOf(name: string): number {
  return createHash('sha1').update(name).digest().readUIntBE(0, 6);
}
