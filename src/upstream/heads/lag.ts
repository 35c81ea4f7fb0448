import type { BlockHeader } from './block.ts';
import type { SyncClaim } from './head-feed.ts';

/** A node lags that is behind by more than both. */
export type LagBounds = { readonly maxLagBlocks: number; readonly maxLagMs: number };

const MS = 1_000;

/**
 * Whether a node is syncing that says so. Geth says it too while it indexes transactions, at the target.
 * @param tolerance blocks that it may be behind the target that it reports
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
 * @param until Unix milliseconds: a timestamp after it is not believed
 * @param part of the bounds
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
