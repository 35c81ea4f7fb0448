import { ChainError } from '../../../chain/errors.ts';
import { type FaultKind, Refutation, UpstreamFault } from '../../../pool/fault.ts';

/** Faults of nodes that serve no proof of a state but may answer from it: no method, state too old, too many keys, too slow. */
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
 * Returns whether nodes lack a proof, as opposed to a proof that its block refutes, or no answer at all. Proofs of nodes on another branch are
 * `wrong`.
 */
export function lacksProof(error: unknown): error is Error {
  if (error instanceof Refutation) return false;
  if (error instanceof UpstreamFault) return FAULTS.has(error.kind);
  return error instanceof ChainError && error.kind !== 'unavailable' && error.kind !== 'aborted';
}
