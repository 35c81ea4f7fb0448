import type { Finding } from '../../verification/findings.ts';
import type { Upstream } from '../upstream.ts';

/** What most nodes say of a block that does not recompute, and the nodes that say something else. */
export type CommonOpinion = {
  readonly finding: Finding & { readonly evidence: string };
  readonly dissenters: ReadonlySet<Upstream>;
};

/**
 * What more than half of the nodes have said alike, where all that can be asked have said something that does not recompute.
 * @param opinions by node
 * @param able nodes that can be asked
 */
export function findCommonOpinion(
  opinions: ReadonlyMap<Upstream, Finding>,
  able: readonly Upstream[],
): CommonOpinion | undefined {
  if (able.some((upstream) => !opinions.has(upstream))) return undefined;
  for (const finding of opinions.values()) {
    const { evidence } = finding;
    if (evidence === undefined) continue;
    const others = [...opinions].filter(([, other]) => other.evidence !== evidence);
    if (2 * others.length >= opinions.size) continue;
    return { finding: { ...finding, evidence }, dissenters: new Set(others.map(([upstream]) => upstream)) };
  }
  return undefined;
}
