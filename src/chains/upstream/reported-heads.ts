import type { NetworkHead } from '../../pool/heads/network-head.ts';
import type { Upstream } from '../../pool/upstream.ts';

/** Returns the number of the block with this hash if it is a recent block of a usable node's chain; undefined otherwise. */
export function findReported(upstreams: readonly Upstream[], hash: string): bigint | undefined {
  for (const { isUp, isOnFork, tracker } of upstreams) {
    const number = isUp && !isOnFork ? tracker.numberOf(hash) : undefined;
    if (number !== undefined) return number;
  }
  return undefined;
}

/** Returns whether a report of this node may still be needed to determine the network's first head. */
export function mayReportHead({ isAwaited, isUp, tracker }: Upstream, head: NetworkHead<Upstream>): boolean {
  return isAwaited || (isUp && (tracker.isExpected || head.isUndecided));
}

/** Returns whether the latest head of a node is lower than its previous head. */
export function hasFallen({ tracker: { latest }, record: { lastHead } }: Upstream): boolean {
  return latest !== undefined && lastHead !== undefined && latest.number < lastHead;
}
