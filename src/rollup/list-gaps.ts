import type { RollupOptions } from './options.ts';
import type { FamilyRow, InfoField } from './rollup-family.ts';

/** Lists the members of `rollup_getInfo` results that are always 0 with this configuration, because it has no source for them. */
export function listGaps(
  { gaps }: FamilyRow,
  options: Pick<RollupOptions, 'l1' | 'messageService'>,
): InfoField[] {
  return (Object.keys(gaps) as InfoField[]).filter((field) => {
    const source = gaps[field];
    return source === 'always' || (source !== undefined && options[source] === undefined);
  });
}
