/**
 * Stable sort with pauses; `Array.prototype.sort` cannot pause.
 * @param piece approximate number of comparisons between two pauses
 */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  piece: number,
): Generator<undefined, T[]> {
  let runs: T[][] = [];
  // Sorting a run of `length` items takes about `piece` comparisons.
  const length = Math.max(1, Math.ceil(piece / 8));
  for (let at = 0; at < items.length; at += length) {
    if (at > 0) yield;
    runs.push(items.slice(at, at + length).sort(compare));
  }
  let count = 0;
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left, right] = [runs[at] as T[], runs[at + 1]];
      if (right === undefined) {
        merged.push(left);
        continue;
      }
      const both: T[] = [];
      for (let l = 0, r = 0; l < left.length || r < right.length; ) {
        if (++count % piece === 0) yield;
        const isLeft = r === right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
        both.push((isLeft ? left[l++] : right[r++]) as T);
      }
      merged.push(both);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}
