import type { CallScope, Chain } from '../chain/chain.ts';
import { FAMILIES } from './family-table.ts';
import { Probe } from './probe.ts';
import type { FamilyRow } from './rollup-family.ts';

/**
 * The family that a chain seems to be of: all are asked at once, and the first in the table that says yes is it.
 * @returns undefined when none does
 * @throws ChainError when the chain cannot be asked
 */
export async function recogniseFamily(
  chain: Chain,
  scope: CallScope,
  families: readonly FamilyRow[] = FAMILIES,
): Promise<FamilyRow | undefined> {
  const probe = new Probe(chain, scope);
  const votes = await Promise.all(families.map((family) => family.recognise(probe)));
  return families.find((_, i) => votes[i]);
}
