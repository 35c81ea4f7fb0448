import { ChainError } from '../../../chain/errors.ts';
import { type FaultKind, Refutation, UpstreamFault } from '../../../pool/fault.ts';

/**
 * Faults of nodes that serve no proof of a state but may answer reads of it: the node lacks the method, or the request is too old, too large or too
 * slow.
 */
const FAULTS: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'unsupported',
  'missing',
  'pruned',
  'tooMuch',
  'tooLarge',
  'timeout',
  'unknown',
  'wrong',
]);

/**
 * Returns whether the error means that nodes have no proof. A refuted proof, or no answer at all, is another error. Proofs from nodes on another
 * branch are `wrong`.
 */
export function lacksProof(error: unknown): error is Error {
  if (error instanceof Refutation) return false;
  if (error instanceof UpstreamFault) return FAULTS.has(error.kind);
  return error instanceof ChainError && error.kind !== 'unavailable' && error.kind !== 'aborted';
}
