import type { BlockHeader } from './block.ts';
import type { SyncClaim } from './head-feed.ts';

/** Lag bounds; a node lags that is behind by more than both. */
export type LagBounds = { readonly maxLagBlocks: number; readonly maxLagMs: number };

const MS = 1_000;

/**
 * Whether a node that reports that it is syncing really is. Geth also reports a sync while it indexes transactions, at the target.
 * @param tolerance blocks that it may be behind the reported target
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
 * Whether a block is behind another by more than both bounds.
 * @param until Unix milliseconds: later timestamps are clamped to it
 * @param part factor applied to the bounds
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
