import type { Members } from '../../../packages/proofs/findings.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { BundleError, type BundleEvidence } from '../format.ts';
import type { Source } from '../request-block.ts';

/** Answer of a read, and the data with which it is compared. */
export type AnsweredRead = {
  readonly header: HeaderEvidence;
  /** Requested position in the block; 0n if the method has no position. */
  readonly index: bigint;
  readonly result: unknown;
  readonly evidence: BundleEvidence;
};

/** Answer from a source, and evidence for it. */
export type CollectedRead = { readonly result: unknown; readonly evidence: Partial<BundleEvidence> };

/** Verifier of a method whose answer is covered by the block hash. */
export type ReadKind = {
  /** Lists of the evidence that the method uses; all other lists must be empty. */
  readonly uses: readonly (keyof BundleEvidence)[];
  /** Requests the answer and its evidence from a source. @param block block object with full transactions */
  readonly collect: (source: Source, block: Members, index: bigint) => Promise<CollectedRead>;
  /**
   * Compares an answer with its evidence.
   * @returns paths of the members that the evidence does not cover
   * @throws BundleError if the answer differs from the evidence
   */
  readonly check: (read: AnsweredRead) => string[];
};

/** Returns a reference to the block by hash. */
export function byHash(block: Members): { kind: 'hash'; hash: string; requireCanonical: false } {
  return { kind: 'hash', hash: String(block['hash']), requireCanonical: false };
}

/** Returns a member that is a list. @throws BundleError if the member is not a list */
export function readList(object: Members, member: string): readonly unknown[] {
  const list = object[member];
  if (!Array.isArray(list)) throw new BundleError(`the block has no list of ${member}`);
  return list;
}
