import type { Members } from '../../verification/findings.ts';
import type { Source } from '../ask.ts';
import type { ProvenHeader } from '../evidence.ts';
import { BundleError, type BundleEvidence } from '../format.ts';

/** A read and its answer, to be compared with the evidence for it. */
export type AnsweredRead = {
  readonly header: ProvenHeader;
  /** Position in the block that is asked for; 0n where the method takes none. */
  readonly index: bigint;
  readonly result: unknown;
  readonly evidence: BundleEvidence;
};

/** The answer of a source, and its evidence. */
export type CollectedRead = { readonly result: unknown; readonly evidence: Partial<BundleEvidence> };

/** How a method is proven of which the block hash commits to the answer. */
export type ReadKind = {
  /** Lists of the evidence that it uses; the others are empty. */
  readonly uses: readonly (keyof BundleEvidence)[];
  /** Asks a source. @param block its object, with whole transactions */
  readonly collect: (source: Source, block: Members, index: bigint) => Promise<CollectedRead>;
  /**
   * Compares an answer with its evidence.
   * @returns names of the members that the evidence does not cover
   * @throws BundleError
   */
  readonly check: (read: AnsweredRead) => string[];
};

/** How answers refer to a block by its hash. */
export function byHash(block: Members): { kind: 'hash'; hash: string; requireCanonical: false } {
  return { kind: 'hash', hash: String(block['hash']), requireCanonical: false };
}

/** The list of an object's member. @throws BundleError where it is none */
export function readList(object: Members, member: string): readonly unknown[] {
  const list = object[member];
  if (!Array.isArray(list)) throw new BundleError(`the block has no list of ${member}`);
  return list;
}
