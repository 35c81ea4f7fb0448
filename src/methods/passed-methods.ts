/**
 * Node methods that a network with `upstreams` passes on by default, in addition to the methods of the service. This file defines the namespaces of
 * passed methods, and the credits of a call. `pool/node-method-rule.ts` decides by the method's name whether the method only reads. A node's first
 * answer shows whether the node has the method.
 */

/**
 * Name prefixes of node methods that are passed on. Each prefix is a whole namespace, except for `alchemy_get`: other `alchemy_` methods manage
 * account data.
 */
const PASSED_PREFIXES: readonly string[] = [
  'debug_',
  'trace_',
  'arbtrace_',
  'txpool_',
  'ots_',
  'erigon_',
  'bor_',
  'optimism_',
  'zks_',
  'arb_',
  'linea_',
  'alchemy_get',
];

/** Maximum length of the name of a node method, as in `pool/node-method-rule.ts`. */
const MAX_LENGTH = 97;

/**
 * Methods that are not passed on by default. The methods of the first group read the process, database or peers of a node instead of the chain;
 * `methods.also` can add such methods. The second group of excluded methods consists of the service's own control methods (`_portcullis`). The third
 * group consists of estimate methods (`_estimate...`), which a rollup serves under its own names.
 */
const NOT_PASSED =
  /^debug_(?:.*(?:stats|profile)|db|chaindb|getAccessibleState|sync)|_(?:nodeInfo|peers|portcullis)|_estimate/i;

/** Credits of a node method that matches no row of `PRICES`. The number equals the credits of a state read. */
export const NODE_METHOD_CREDITS = 80;

type PriceRow = readonly [names: RegExp, credits: number];

/**
 * Credits by the load that a call of a node method causes on a node. The credits are comparable to the credits of the service's own methods. The
 * first matching row applies.
 */
const PRICES: readonly PriceRow[] = [
  // Methods that execute or read all transactions of a block, or of a range of blocks.
  [/^debug_(?:traceBlock|traceBadBlock|traceChain|traceCallMany|intermediateRoots|replayBlock)/, 1000],
  [/^debug_(?:executionWitness|accountRange|getModifiedAccounts|getBadBlocks)/, 1000],
  [/^(?:arb)?trace_(?:block|replayBlock|filter|callMany)/, 1000],
  [/^ots_(?:getBlockTransactions|searchTransactions)/, 1000],
  [/^erigon_(?:getLatestLogs|getLogs|getBlockReceipts)/, 1000],
  [/^alchemy_get(?:TransactionReceipts|AssetTransfers)/, 1000],
  [/^txpool_(?:content|inspect)$/, 1000],
  // Methods that execute one transaction, after its predecessors in the block.
  [/^(?:debug|(?:arb)?trace)_/, 300],
  [/^ots_(?:trace|getInternalOperations|getTransactionError|getContractCreator|getTransactionBySender)/, 300],
  [/^(?:linea|zks)_getProof/, 300],
  [/^zks_getBlockDetails|^zks_getRawBlockTransactions/, 150],
  // Methods that return values that a node has in memory.
  [/^(?:txpool_status|ots_getApiLevel|erigon_(?:forks|blockNumber)|optimism_version)$/, 20],
  [
    /^zks_(?:L1BatchNumber|L1ChainId|get(?:Main|Bridgehub)Contract|getBridgeContracts|getTestnetPaymaster)$/,
    20,
  ],
  [/^bor_getCurrent(?:Proposer|Validators)$/, 20],
];

/**
 * Returns the namespace label, such as `debug_*`, of a method that is passed on by default. Returns undefined for any other method. The caller has to
 * check whether the method only reads.
 */
export function findPassedNamespace(name: string): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  if (!PASSED_PREFIXES.some((prefix) => name.startsWith(prefix)) || NOT_PASSED.test(name)) return undefined;
  return `${name.slice(0, name.indexOf('_'))}_*`;
}

/** Returns the credits of a node method; undefined where no row matches. */
export function findNodeMethodCredits(name: string): number | undefined {
  return PRICES.find(([names]) => names.test(name))?.[1];
}
