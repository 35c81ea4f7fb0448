import type { Members } from '../../../packages/proofs/findings.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { BundleError, type BundleEvidence } from '../format.ts';
import type { Source } from '../request-block.ts';

/** Answer of a method that needs no EVM execution, and the evidence with which the answer is compared. */
export type AnsweredRead = {
  readonly header: HeaderEvidence;
  /** Requested index of a transaction or uncle in the block; 0n if the method has no index parameter. */
  readonly index: bigint;
  readonly result: unknown;
  readonly evidence: BundleEvidence;
};

/** Answer from a source's nodes, and evidence for the answer. */
export type CollectedRead = { readonly result: unknown; readonly evidence: Partial<BundleEvidence> };

/** Collects and verifies the answers of a method that needs no EVM execution. */
export type ReadKind = {
  /** Members of `BundleEvidence` that the method uses; all other lists must be empty. */
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
