import type { RollupOptions } from './options.ts';
import type { FamilyRow, InfoField } from './rollup-family.ts';

/** Parts of a network's node information that are 0 because they have no source under this configuration. */
export function listGaps(
  { gaps }: FamilyRow,
  options: Pick<RollupOptions, 'l1' | 'messageService'>,
): InfoField[] {
  return (Object.keys(gaps) as InfoField[]).filter((field) => {
    const source = gaps[field];
    return source === 'always' || (source !== undefined && options[source] === undefined);
  });
}
