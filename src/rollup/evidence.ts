import type { Probe } from './probe.ts';

/** Kinds of marks, the strongest first: one of a kind outweighs all marks of the kinds behind it. */
export const EVIDENCE_KINDS = ['contract', 'header', 'client', 'chainId', 'method'] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** By which a chain shows its family. */
export type FamilyMark = {
  readonly kind: EvidenceKind;
  /** A sentence that is true of a chain with the mark: `decimals() of 0x42..0f is 6`. */
  readonly says: string;
  /** Every chain of the family shows it. */
  readonly isNeeded?: true;
  /** @throws ChainError when the chain cannot be asked */
  see(probe: Probe): Promise<boolean>;
};

/** A mark of a family, and whether the chain shows it; undefined where it could not be asked. */
export type Evidence = Pick<FamilyMark, 'kind' | 'says' | 'isNeeded'> & {
  readonly isSeen: boolean | undefined;
};

/** Marks that were seen, by kind, in the order of `EVIDENCE_KINDS`. */
export type Weight = readonly number[];

/**
 * The weight of what a chain shows of a family; undefined where it shows nothing, or lacks what every chain of the family has. A chain id
 * is a name that a chain gives itself: it counts for nothing where a contract or header that the family has is missing.
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

/** The most that a family may weigh, were each of its marks seen that could not be asked. */
export function weighAtMost(evidence: readonly Evidence[]): Weight | undefined {
  return weigh(evidence.map((each) => ({ ...each, isSeen: each.isSeen ?? true })));
}

/** Positive where `a` outweighs `b`. */
export function compareWeights(a: Weight, b: Weight): number {
  for (const [i, count] of a.entries()) {
    const difference = count - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
