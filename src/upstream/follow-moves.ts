import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
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
 * failure for a caller that asked for `latest`. Throws or rejects with ChainErrors.
 * @param ask finds the block that is meant, and asks
 * @param read what is handed on of the answer
 */
export function followMoves<T, U>(
  ask: () => Promise<T>,
  isAtTag: boolean,
  where: Whereabouts,
  read: (answer: T) => U,
): Promise<U>;
export function followMoves<T, U>(
  ask: () => PromiseOrValue<T>,
  isAtTag: boolean,
  where: Whereabouts,
  read: (answer: T) => U,
): PromiseOrValue<U>;
export function followMoves<T, U>(
  ask: () => PromiseOrValue<T>,
  isAtTag: boolean,
  where: Whereabouts,
  read: (answer: T) => U,
): PromiseOrValue<U> {
  return askFrom({ ask, isAtTag, where, read }, 0);
}

type Followed<T, U> = {
  readonly ask: () => PromiseOrValue<T>;
  readonly isAtTag: boolean;
  readonly where: Whereabouts;
  readonly read: (answer: T) => U;
};

/** @param moves of the network so far */
function askFrom<T, U>(followed: Followed<T, U>, moves: number): PromiseOrValue<U> {
  const { ask, read, where } = followed;
  const before = where.headHash();
  try {
    const answer = ask();
    if (!(answer instanceof Promise)) return read(answer);
    return answer.then(read, (error: unknown) => askAgain(followed, moves, before, error));
  } catch (error) {
    return askAgain(followed, moves, before, error);
  }
}

/** @param before the head before it was asked */
async function askAgain<T, U>(
  followed: Followed<T, U>,
  moves: number,
  before: string | undefined,
  error: unknown,
): Promise<U> {
  const { isAtTag, where } = followed;
  const mayHaveMoved = isAtTag && error instanceof UpstreamFault && MOVED.has(error.kind);
  if (!mayHaveMoved || moves >= MAX_MOVES) throw toChainError(error);
  if (where.headHash() === before) await where.refresh();
  if (where.headHash() === before) throw toChainError(error);
  return askFrom(followed, moves + 1);
}
