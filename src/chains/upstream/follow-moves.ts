import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { toChainError } from '../../pool/chain-errors.ts';
import { type FaultKind, UpstreamFault } from '../../pool/fault.ts';

/** Kinds of faults of a node that has just removed the requested block in a reorg. */
const MOVED: ReadonlySet<FaultKind> = new Set<FaultKind>(['missing', 'wrong', 'unreachable']);
const MAX_MOVES = 2;

/** Functions that return and refresh the network's head. */
export type Whereabouts = {
  /** Hash of the served head. */
  readonly headHash: () => string | undefined;
  /** Requests the current head of each healthy node. Never rejects. */
  readonly refresh: () => Promise<void>;
};

/**
 * Repeats a failed request at a tag if the head has changed since the tag was resolved. A reorg during a request at `latest` must not become an error
 * for the caller. Throws or rejects with ChainErrors.
 * @param ask resolves the block and sends the request
 * @param read converts the answer to the result
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
  return requestFrom({ ask, isAtTag, where, read }, 0);
}

type Followed<T, U> = {
  readonly ask: () => PromiseOrValue<T>;
  readonly isAtTag: boolean;
  readonly where: Whereabouts;
  readonly read: (answer: T) => U;
};

/** @param moves number of head changes for which this request was already repeated */
function requestFrom<T, U>(followed: Followed<T, U>, moves: number): PromiseOrValue<U> {
  const { ask, read, where } = followed;
  const before = where.headHash();
  try {
    const answer = ask();
    if (!(answer instanceof Promise)) return read(answer);
    return answer.then(read, (error: unknown) => retry(followed, moves, before, error));
  } catch (error) {
    return retry(followed, moves, before, error);
  }
}

/** @param before hash of the head before the request */
async function retry<T, U>(
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
  return requestFrom(followed, moves + 1);
}
