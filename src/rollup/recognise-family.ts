import type { Chain } from '../chain/chain.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { compareWeights, type Evidence, type Weight, weigh, weighAtMost } from './evidence.ts';
import { loadFamilies } from './family-table.ts';
import { Probe } from './probe.ts';
import type { FamilyRow } from './rollup-family.ts';

/** Detected family of a chain, and the evidence for each family. Families are in the order of the family table. */
export type Recognition = {
  /** Detected family; undefined if the chain has none of the marks. */
  readonly row: FamilyRow | undefined;
  readonly shown: readonly { readonly family: string; readonly evidence: readonly Evidence[] }[];
};

/**
 * Detects the family of a chain: requests the distinguishing features (marks) of all families concurrently, and weighs the marks that the chain has.
 * In a tie, the first family of the table wins.
 * @param among families to consider; by default all
 * @throws ChainError if a failed request could change the result
 */
export async function recogniseFamily(
  chain: Chain,
  scope: RequestScope,
  among?: readonly FamilyRow[],
): Promise<Recognition> {
  const families = among ?? (await loadFamilies());
  const probe = new Probe(chain, scope);
  const found = await Promise.all(families.map((row) => examine(row, probe)));
  let best: (typeof found)[number] | undefined;
  for (const each of found) if (outweighs(each.weight, best?.weight)) best = each;
  for (const { row, atMost, failure } of found)
    if (failure !== undefined && row !== best?.row && outweighs(atMost, best?.weight)) throw failure;
  return {
    row: best?.row,
    shown: found.map(({ row, evidence }) => ({ family: row.name, evidence })),
  };
}

type Found = {
  readonly row: FamilyRow;
  readonly evidence: readonly Evidence[];
  readonly weight: Weight | undefined;
  readonly atMost: Weight | undefined;
  /** Error of the first failed request for a mark. */
  readonly failure: unknown;
};

async function examine(row: FamilyRow, probe: Probe): Promise<Found> {
  let failure: unknown;
  const evidence = await Promise.all(
    row.marks.map(async ({ kind, says, isNeeded, see }): Promise<Evidence> => {
      const mark = { kind, says, ...(isNeeded && { isNeeded }) };
      try {
        return { ...mark, isSeen: await see(probe) };
      } catch (error) {
        failure ??= error;
        return { ...mark, isSeen: undefined };
      }
    }),
  );
  return { row, evidence, weight: weigh(evidence), atMost: weighAtMost(evidence), failure };
}

function outweighs(weight: Weight | undefined, other: Weight | undefined): boolean {
  if (weight === undefined) return false;
  return other === undefined || compareWeights(weight, other) > 0;
}

/** Lists the marks (distinguishing features) by which the family was detected, as texts for a log line. */
export function listSeen({ row, shown }: Recognition): readonly string[] {
  const evidence = shown.find(({ family }) => family === row?.name)?.evidence ?? [];
  return evidence.filter(({ isSeen }) => isSeen === true).map(({ says }) => says);
}
