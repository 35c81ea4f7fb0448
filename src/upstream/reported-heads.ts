import type { NetworkHead } from './heads/network-head.ts';
import type { Upstream } from './upstream.ts';

/** Number of a block that a node has reported that may be asked for it, by the block's hash. */
export function findReported(upstreams: readonly Upstream[], hash: string): bigint | undefined {
  for (const { isUp, isOnFork, tracker } of upstreams) {
    const number = isUp && !isOnFork ? tracker.numberOf(hash) : undefined;
    if (number !== undefined) return number;
  }
  return undefined;
}

/** Whether a node may yet report the first head, or show that it is on the chain. */
export function mayReportHead({ isAwaited, isUp, tracker }: Upstream, head: NetworkHead<Upstream>): boolean {
  return isAwaited || (isUp && (tracker.isExpected || head.isUndecided));
}

/** Whether its head is lower than the one that it reported before. */
export function hasFallen({ tracker: { latest }, lastHead }: Upstream): boolean {
  return latest !== undefined && lastHead !== undefined && latest.number < lastHead;
}
