import type { Finding } from '../../../../packages/proofs/findings.ts';
import type { Upstream } from '../../../pool/upstream.ts';

/** The unverifiable answer that most nodes return for a block, and the nodes that returned another answer. */
export type MajorityReply = {
  readonly finding: Finding & { readonly evidence: string };
  readonly dissenters: ReadonlySet<Upstream>;
};

/**
 * Returns the finding that more than half of the nodes share, after every able node has returned an answer that does not verify.
 * @param replies findings by node
 * @param able nodes that can answer the request
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
