import type { Probe } from './probe.ts';

/** Kinds of family marks, which are observable properties of a chain, strongest first. One mark of a kind outweighs all marks of weaker kinds. */
export const EVIDENCE_KINDS = ['contract', 'header', 'client', 'chainId', 'method'] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Observable property that identifies a family. */
export type FamilyMark = {
  readonly kind: EvidenceKind;
  /** Statement that holds for a chain with the mark, such as `decimals() of 0x42..0f is 6`. */
  readonly says: string;
  /** True if every chain of the family has the mark. */
  readonly isNeeded?: true;
  /** Returns whether the chain has the mark. @throws ChainError if the chain cannot be reached */
  see(probe: Probe): Promise<boolean>;
};

/** Distinguishing feature of a family, and whether the chain has this feature; `isSeen` is undefined if the request failed. */
export type Evidence = Pick<FamilyMark, 'kind' | 'says' | 'isNeeded'> & {
  readonly isSeen: boolean | undefined;
};

/** Weight of the evidence for a family: number of marks that the chain has, per kind of mark, in the order of `EVIDENCE_KINDS`. */
export type Weight = readonly number[];

/**
 * Returns the weight of the evidence for a family; undefined if the chain has no mark of the family, or lacks a mark with `isNeeded`. A chain id is
 * only a claim by the chain: it does not count if a contract mark or header mark of the family is missing.
 */
export function weigh(evidence: readonly Evidence[]): Weight | undefined {
  if (evidence.some(({ isNeeded, isSeen }) => isNeeded === true && isSeen === false)) return undefined;
  const isContradicted = evidence.some(
    ({ kind, isSeen }) => isSeen === false && (kind === 'contract' || kind === 'header'),
  );
  const weight = EVIDENCE_KINDS.map((kind) => {
    if (kind === 'chainId' && isContradicted) return 0;
    return evidence.filter((each) => each.kind === kind && each.isSeen === true).length;
  });
  return weight.some((count) => count > 0) ? weight : undefined;
}

/** Returns the maximum possible weight: every mark whose request failed counts as a mark that the chain has. */
export function weighAtMost(evidence: readonly Evidence[]): Weight | undefined {
  return weigh(evidence.map((each) => ({ ...each, isSeen: each.isSeen ?? true })));
}

/** Returns a positive number if `a` outweighs `b`, a negative one if `b` outweighs `a`, otherwise 0. */
export function compareWeights(a: Weight, b: Weight): number {
  for (const [i, count] of a.entries()) {
    const difference = count - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
