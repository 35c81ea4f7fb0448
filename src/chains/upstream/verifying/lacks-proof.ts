import { ChainError } from '../../../chain/errors.ts';
import { type FaultKind, Refutation, UpstreamFault } from '../../../pool/fault.ts';

/**
 * Kinds of faults of nodes that send no proof of some state, but may still answer reads of it. The node lacks the method, or the block is too old, or
 * the proof is too large or too slow.
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
 * Returns whether an error means that nodes send no proof. Returns false for a refuted proof, and if no node answers. A proof of a node on another
 * branch is the fault `wrong`.
 */
export function lacksProof(error: unknown): error is Error {
  if (error instanceof Refutation) return false;
  if (error instanceof UpstreamFault) return FAULTS.has(error.kind);
  return error instanceof ChainError && error.kind !== 'unavailable' && error.kind !== 'aborted';
}
