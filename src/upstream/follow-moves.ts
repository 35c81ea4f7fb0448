import { type FaultKind, UpstreamFault } from './fault.ts';

/** How nodes answer about a block that they have just left. */
const MOVED: ReadonlySet<FaultKind> = new Set<FaultKind>(['missing', 'wrong', 'unreachable']);
const MAX_MOVES = 2;

/** Where a network is, as far as it is followed. */
export type Whereabouts = {
  /** Hash of the served head. */
  readonly headHash: () => string | undefined;
  /** Asks the healthy nodes for their heads now. Never rejects. */
  readonly refresh: () => Promise<void>;
};

/**
 * Asks at a tag again when the network has moved meanwhile: a reorg between finding the block and asking at it is no
 * failure to somebody who asked for `latest`.
 * @param ask finds the block that the tag means, and asks
 */
export function followMoves<T>(ask: () => Promise<T>, where: Whereabouts, moves = 0): Promise<T> {
  const before = where.headHash();
  return ask().catch(async (error: unknown) => {
    if (moves >= MAX_MOVES || !(error instanceof UpstreamFault) || !MOVED.has(error.kind)) throw error;
    if (where.headHash() === before) await where.refresh();
    if (where.headHash() === before) throw error;
    return followMoves(ask, where, moves + 1);
  });
}
