import type { Finding } from '../../../../packages/proofs/findings.ts';
import type { Upstream } from '../../../pool/upstream.ts';

/** Unverifiable answer about a block that most nodes have returned, and the nodes that have returned another answer. */
export type MajorityReply = {
  readonly finding: Finding & { readonly evidence: string };
  readonly dissenters: ReadonlySet<Upstream>;
};

/**
 * Returns the finding that more than half of the nodes share. Returns undefined if no finding is so frequent, or if a node in `able` has no reply
 * with a finding.
 * @param replies by node: the finding because of which the node's answer does not verify
 * @param able usable nodes that have the block
 */
export function findMajorityReply(
  replies: ReadonlyMap<Upstream, Finding>,
  able: readonly Upstream[],
): MajorityReply | undefined {
  if (able.some((upstream) => !replies.has(upstream))) return undefined;
  for (const finding of replies.values()) {
    const { evidence } = finding;
    if (evidence === undefined) continue;
    const others = [...replies].filter(([, other]) => other.evidence !== evidence);
    if (2 * others.length >= replies.size) continue;
    return { finding: { ...finding, evidence }, dissenters: new Set(others.map(([upstream]) => upstream)) };
  }
  return undefined;
}
