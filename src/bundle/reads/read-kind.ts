import type { Members } from '../../../packages/proofs/findings.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { BundleError, type BundleEvidence } from '../format.ts';
import type { Source } from '../request-block.ts';

/** Read with its answer, to be compared with its evidence. */
export type AnsweredRead = {
  readonly header: HeaderEvidence;
  /** Requested position in the block; 0n if the method takes none. */
  readonly index: bigint;
  readonly result: unknown;
  readonly evidence: BundleEvidence;
};

/** Answer of a source, and its evidence. */
export type CollectedRead = { readonly result: unknown; readonly evidence: Partial<BundleEvidence> };

/** Verification of a method whose answer the block hash commits to. */
export type ReadKind = {
  /** Lists of the evidence that it uses; the others must be empty. */
  readonly uses: readonly (keyof BundleEvidence)[];
  /** Requests answer and evidence from a source. @param block block object with full transactions */
  readonly collect: (source: Source, block: Members, index: bigint) => Promise<CollectedRead>;
  /**
   * Compares an answer with its evidence.
   * @returns paths of the members that the evidence does not cover
   * @throws BundleError if they differ
   */
  readonly check: (read: AnsweredRead) => string[];
};

/** Returns a reference to the block by its hash. */
export function byHash(block: Members): { kind: 'hash'; hash: string; requireCanonical: false } {
  return { kind: 'hash', hash: String(block['hash']), requireCanonical: false };
}

/** Returns an object's list member. @throws BundleError if it is not a list */
export function readList(object: Members, member: string): readonly unknown[] {
  const list = object[member];
  if (!Array.isArray(list)) throw new BundleError(`the block has no list of ${member}`);
  return list;
}
