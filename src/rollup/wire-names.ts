/** JSON-RPC method names by rollup family. This file does not import the families, so that they need not be loaded at the start. */

/** Methods of a family's networks in addition to the methods of all rollups. */
export type WireNames = {
  /**
   * Prefixes for which `<prefix>_estimateGas` is served, the main prefix first. The configuration can replace all prefixes of a family by another
   * prefix.
   */
  readonly prefixes: readonly [string, ...string[]];
  /** Estimate methods of the family's nodes; requests for them are forwarded unchanged. */
  readonly nodeEstimates: readonly string[];
};

/** Names of the families in the table. */
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

/** Method names and prefixes by family. Only Linea's nodes have a `<prefix>_estimateGas` method with the meaning of the service's method. */
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

/** Returns the names of a family. @throws Error for the name of an unknown family */
export function findWireNames(family: string): WireNames {
  const names = Object.hasOwn(WIRE_NAMES, family) ? WIRE_NAMES[family as FamilyName] : undefined;
  if (names === undefined) throw new Error(`there is no rollup family ${family}`);
  return names;
}

const ALL: readonly WireNames[] = Object.values(WIRE_NAMES);

/** Prefixes of all families, and estimate methods of all their nodes. */
export const FAMILY_PREFIXES: ReadonlySet<string> = new Set(ALL.flatMap(({ prefixes }) => prefixes));
export const FAMILY_ESTIMATES: ReadonlySet<string> = new Set(ALL.flatMap((names) => names.nodeEstimates));
