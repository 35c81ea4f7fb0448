import type { BlockHeader } from './block.ts';
import type { SyncClaim } from './head-feed.ts';

/** Bounds of lag; a node lags if it is behind by more than both bounds. */
export type LagBounds = { readonly maxLagBlocks: number; readonly maxLagMs: number };

const MS = 1_000;

/**
 * Whether a node that reports a sync is really syncing. Geth also reports a sync while it indexes transactions, when its head is at the target.
 * @param tolerance maximum number of blocks behind the reported target at which the node counts as synced
 */
export function isSyncClaimTrue(
  claim: SyncClaim,
  latest: Pick<BlockHeader, 'number'> | undefined,
  tolerance: number,
): boolean {
  if (claim === undefined) return false;
  if (claim.target === undefined || latest === undefined) return true;
  return claim.target - latest.number > BigInt(tolerance);
}

type Position = Pick<BlockHeader, 'number' | 'timestamp'>;

/**
 * Whether a block is behind another block by more than both bounds.
 * @param until time that replaces the timestamp of `other` if that timestamp is later, Unix ms
 * @param part factor by which both bounds are multiplied
 */
export function isFarBehind(
  block: Position,
  other: Position,
  until: number,
  { maxLagBlocks, maxLagMs }: LagBounds,
  part: number = 1,
): boolean {
  const blocks = Number(other.number - block.number);
  const ms = Math.min(Number(other.timestamp) * MS, until) - Number(block.timestamp) * MS;
  return blocks > maxLagBlocks * part && ms > maxLagMs * part;
}
