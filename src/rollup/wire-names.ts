/** Names of methods by family. They are apart from the families, so that a start reads them without loading those. */

/** Methods that networks of a family serve beside those of every rollup. */
export type WireNames = {
  /** `<prefix>_estimateGas` is served for each of them, the main one first, unless the configuration names another prefix. */
  readonly prefixes: readonly [string, ...string[]];
  /** Estimate methods of its nodes, which are passed on to them as they are. */
  readonly nodeEstimates: readonly string[];
};

/** Families of the table. */
export type FamilyName =
  | 'linea'
  | 'mantle'
  | 'op-stack'
  | 'arbitrum'
  | 'scroll'
  | 'morph'
  | 'zksync'
  | 'polygon-zkevm'
  | 'taiko'
  | 'l2geth'
  | 'ethereum';

/** Names by family. No node has `<prefix>_estimateGas` of these prefixes, except Linea's, where it means the same. */
const WIRE_NAMES: Readonly<Record<FamilyName, WireNames>> = {
  linea: { prefixes: ['linea'], nodeEstimates: ['linea_estimateGas'] },
  mantle: { prefixes: ['mantle'], nodeEstimates: ['eth_estimateTotalFee'] },
  'op-stack': { prefixes: ['op', 'optimism'], nodeEstimates: [] },
  arbitrum: { prefixes: ['arbitrum', 'arb'], nodeEstimates: [] },
  scroll: { prefixes: ['scroll'], nodeEstimates: ['scroll_estimateL1DataFee'] },
  morph: { prefixes: ['morph'], nodeEstimates: ['morph_estimateL1DataFee'] },
  zksync: { prefixes: ['zksync', 'zks'], nodeEstimates: ['zks_estimateFee', 'zks_estimateGasL1ToL2'] },
  'polygon-zkevm': {
    prefixes: ['zkevm'],
    nodeEstimates: ['zkevm_estimateFee', 'zkevm_estimateGasPrice', 'zkevm_estimateCounters'],
  },
  taiko: { prefixes: ['taiko'], nodeEstimates: [] },
  l2geth: { prefixes: ['metis'], nodeEstimates: [] },
  ethereum: { prefixes: ['ethereum'], nodeEstimates: [] },
};

/** The names of a family of the table. @throws Error where there is none of this name */
export function findWireNames(family: string): WireNames {
  const names = Object.hasOwn(WIRE_NAMES, family) ? WIRE_NAMES[family as FamilyName] : undefined;
  if (names === undefined) throw new Error(`there is no rollup family ${family}`);
  return names;
}

const ALL: readonly WireNames[] = Object.values(WIRE_NAMES);

/** Prefixes of all families, and estimate methods of all their nodes. */
export const FAMILY_PREFIXES: ReadonlySet<string> = new Set(ALL.flatMap(({ prefixes }) => prefixes));
export const FAMILY_ESTIMATES: ReadonlySet<string> = new Set(ALL.flatMap((names) => names.nodeEstimates));
