import { ChainError } from '../../../chain/errors.ts';
import { type FaultKind, Refutation, UpstreamFault } from '../../../pool/fault.ts';

/**
 * Kinds of faults of a node that sends no proof of some state. The node may still answer reads of this state. With these faults, the node lacks the
 * method, the block is too old, or the proof is too large or too slow.
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
 * Returns whether an error means that nodes send no proof. Returns false if the proof was refuted, or if no node answers at all. A proof from a node
 * on another branch causes the fault `wrong`, which counts as a missing proof.
 */
export function lacksProof(error: unknown): error is Error {
  if (error instanceof Refutation) return false;
  if (error instanceof UpstreamFault) return FAULTS.has(error.kind);
  return error instanceof ChainError && error.kind !== 'unavailable' && error.kind !== 'aborted';
}
