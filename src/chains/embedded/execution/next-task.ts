/** Owner and lane of a task: the owner is the caller, and the lane is the pair of caller and called contract. */
export type Lane = { readonly owner: string; readonly lane: string };

function countBy(running: readonly Lane[], key: keyof Lane): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of running) counts.set(task[key], (counts.get(task[key]) ?? 0) + 1);
  return counts;
}

/**
 * Chooses the next waiting task. The owner with the fewest running tasks is first, and within an owner the contract with the fewest running tasks. A
 * caller with many calls therefore leaves room for other callers.
 * @param mayRun returns whether an owner may run one more task
 * @returns an index into `waiting`; -1 when all tasks must wait
 */
export function chooseNext(
  waiting: readonly Lane[],
  running: readonly Lane[],
  mayRun: (owner: string) => boolean,
): number {
  const owners = countBy(running, 'owner');
  const lanes = countBy(running, 'lane');
  let best = -1;
  let fewest = Number.POSITIVE_INFINITY;
  let fewestOfLane = Number.POSITIVE_INFINITY;
  for (const [index, { owner, lane }] of waiting.entries()) {
    const count = owners.get(owner) ?? 0;
    const countOfLane = lanes.get(lane) ?? 0;
    if (count > fewest || !mayRun(owner)) continue;
    if (count === fewest && countOfLane >= fewestOfLane) continue;
    if (count === 0) return index;
    best = index;
    fewest = count;
    fewestOfLane = countOfLane;
  }
  return best;
}
