import { loadFamily } from '../rollup/family-table.ts';
import { listGaps } from '../rollup/list-gaps.ts';
import type { RollupOptions } from '../rollup/options.ts';
import type { InfoField } from '../rollup/rollup-family.ts';
import { findWireNames } from '../rollup/wire-names.ts';

/** Configured family and prefix of a rollup; without a configured family, the running service recognises the family. */
export type RollupDiagnosis = {
  readonly family?: string;
  readonly prefix?: string;
  /** Further prefixes of the estimate method. */
  readonly alsoPrefixes?: readonly string[];
  /** Members of `rollup_getInfo` that are always 0, because their values have no source, or none is configured. */
  readonly unknown?: readonly InfoField[];
};

export async function diagnoseRollup(options: RollupOptions): Promise<RollupDiagnosis> {
  const { family, prefix } = options;
  if (family === undefined) return prefix === undefined ? {} : { prefix };
  const row = await loadFamily(family);
  const [main, ...others] = prefix === undefined ? findWireNames(family).prefixes : [prefix];
  return {
    family,
    prefix: main,
    ...(others.length > 0 && { alsoPrefixes: others }),
    unknown: listGaps(row, options),
  };
}

export function describeRollup({ family, prefix, alsoPrefixes = [], unknown = [] }: RollupDiagnosis): string {
  if (family === undefined)
    return '  a rollup; its family is recognised from the answers of its nodes, unless rollup.family is set\n';
  const gaps = unknown.length === 0 ? '' : `; always 0 in rollup_getInfo: ${unknown.join(', ')}`;
  const names = [prefix, ...alsoPrefixes].map((each) => `${each}_estimateGas`).join(' and ');
  return `  a rollup of the family ${family}, estimates as ${names}${gaps}\n`;
}
