import { listForeignOptions } from '../rollup/family-options.ts';
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
  /** Configured options that the recognised family does not use. */
  readonly ignored?: readonly string[];
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

/**
 * Completes the diagnosis of a rollup without a configured family.
 * @param recognised family that the nodes show
 */
export async function addGaps(
  diagnosis: RollupDiagnosis,
  options: RollupOptions,
  recognised: string | undefined,
): Promise<RollupDiagnosis> {
  if (diagnosis.family !== undefined || recognised === undefined) return diagnosis;
  const foreign = listForeignOptions(recognised, options).map(({ option }) => option);
  return {
    ...diagnosis,
    unknown: listGaps(await loadFamily(recognised), options),
    ...(foreign.length > 0 && { ignored: foreign }),
  };
}

export function describeRollup({
  family,
  prefix,
  alsoPrefixes = [],
  unknown = [],
  ignored = [],
}: RollupDiagnosis): string {
  const zero = unknown.length === 0 ? '' : `always 0 in rollup_getInfo: ${unknown.join(', ')}`;
  if (family === undefined) {
    return [
      '  a rollup; its family is recognised from the answers of its nodes, unless rollup.family is set\n',
      zero === '' ? '' : `  ${zero}\n`,
      ignored.length === 0 ? '' : `  warning: its family does not use ${ignored.join(', ')}: remove it\n`,
    ].join('');
  }
  const gaps = zero === '' ? '' : `; ${zero}`;
  const names = [prefix, ...alsoPrefixes].map((each) => `${each}_estimateGas`).join(' and ');
  return `  a rollup of the family ${family}, estimates as ${names}${gaps}\n`;
}
