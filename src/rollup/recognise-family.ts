import type { Chain } from '../chain/chain.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { loadFamilies } from './family-table.ts';
import { Probe } from './probe.ts';
import type { FamilyRow } from './rollup-family.ts';

/**
 * The family that a chain seems to be of: all are asked at once, and the first in the table that says yes is it.
 * @param among all families by default
 * @returns undefined when none does
 * @throws ChainError when none does, and some could not be asked
 */
export async function recogniseFamily(
  chain: Chain,
  scope: RequestScope,
  among?: readonly FamilyRow[],
): Promise<FamilyRow | undefined> {
  const families = among ?? (await loadFamilies());
  const probe = new Probe(chain, scope);
  const votes = await Promise.allSettled(families.map((family) => family.recognise(probe)));
  const seen = families.find((_, i) => {
    const vote = votes[i];
    return vote?.status === 'fulfilled' && vote.value;
  });
  if (seen !== undefined) return seen;
  for (const vote of votes) if (vote.status === 'rejected') throw vote.reason;
  return undefined;
}
