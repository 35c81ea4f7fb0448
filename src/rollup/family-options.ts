import type { RollupOptions } from './options.ts';

/** Options of a rollup that only some families have. */
type FamilyOption = 'opNode' | 'anchor' | 'messageService';

const OP_STACK: readonly string[] = ['op-stack', 'mantle'];

/** Families that use an option. */
const FAMILIES: Readonly<Record<FamilyOption, readonly string[]>> = {
  opNode: OP_STACK,
  anchor: OP_STACK,
  messageService: ['linea'],
};

/** Returns the configured options that a family ignores, each with the families that use it. */
export function listForeignOptions(
  family: string,
  options: RollupOptions,
): { readonly option: FamilyOption; readonly families: readonly string[] }[] {
  return (Object.keys(FAMILIES) as FamilyOption[])
    .filter((option) => options[option] !== undefined && !FAMILIES[option].includes(family))
    .map((option) => ({ option, families: FAMILIES[option] }));
}
