import type { Finding } from '../../../../packages/proofs/findings.ts';
import type { Upstream } from '../../../pool/upstream.ts';

/** The same unverifiable answer of most nodes about a block, and the nodes that returned a different answer. */
export type MajorityReply = {
  readonly finding: Finding & { readonly evidence: string };
  readonly dissenters: ReadonlySet<Upstream>;
};

/**
 * Returns the finding that more than half of the nodes share; undefined if there is none, or if a node in `able` has no reply with a finding.
 * @param replies finding in each node's answer that does not verify
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
