/** Owner of a task: its caller, and (with that caller in its name) its contract. */
export type Lane = { readonly owner: string; readonly lane: string };

function countBy(running: readonly Lane[], key: keyof Lane): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of running) counts.set(task[key], (counts.get(task[key]) ?? 0) + 1);
  return counts;
}

/**
 * Which waiting task comes next: the first one of the owner with the fewest tasks running and, among one owner's, of
 * the contract with the fewest. So a flood leaves room for the others.
 * @param mayRun whether a task more of an owner may run
 * @returns an index into `waiting`; -1 when all of them have to wait
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
