/**
 * Which waiting task comes next: the first one of the lane with the fewest tasks running, so that one caller's
 * flood for one contract leaves room for the others.
 * @param running lanes of the running tasks
 * @param laneLimit tasks of one lane that may run
 * @returns an index into `waiting`; -1 when all of them have to wait
 */
export function chooseNext(
  waiting: readonly { readonly lane: string }[],
  running: readonly string[],
  laneLimit: number,
): number {
  const counts = new Map<string, number>();
  for (const lane of running) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  let best = -1;
  let fewest = laneLimit;
  for (const [index, { lane }] of waiting.entries()) {
    const count = counts.get(lane) ?? 0;
    if (count >= fewest) continue;
    if (count === 0) return index;
    best = index;
    fewest = count;
  }
  return best;
}
