import { toChainError } from './chain-errors.ts';
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
 * failure to somebody who asked for `latest`. Rejects with ChainErrors.
 * @param ask finds the block that is meant, and asks
 */
export function followMoves<T>(ask: () => Promise<T>, isAtTag: boolean, where: Whereabouts): Promise<T> {
  const askFrom = (moves: number): Promise<T> => {
    const before = where.headHash();
    return ask().catch(async (error: unknown) => {
      const mayHaveMoved = isAtTag && error instanceof UpstreamFault && MOVED.has(error.kind);
      if (!mayHaveMoved || moves >= MAX_MOVES) throw toChainError(error);
      if (where.headHash() === before) await where.refresh();
      if (where.headHash() === before) throw toChainError(error);
      return askFrom(moves + 1);
    });
  };
  return askFrom(0);
}
