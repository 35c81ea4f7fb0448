/**
 * Methods of nodes that a network of `upstreams` passes on by default, beside those of the service: namespaces of reads, and the credits of a call.
 * Whether a method of them only reads is decided name by name (`upstream/node-method-rule.ts`); whether a node has it is learned from its first answer.
 */

/** Prefixes of names: whole namespaces, but for Alchemy, whose other methods manage what it keeps for an account. */
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

/** The longest name of a method of a node (`upstream/node-method-rule.ts`). */
const MAX_LENGTH = 97;

/**
 * Methods about the process, the database and the peers of a node instead of the chain, control methods of the service, and estimates, which a rollup
 * serves under names of its own. `methods.also` can name the first.
 */
const NOT_PASSED =
  /^debug_(?:.*(?:stats|profile)|db|chaindb|getAccessibleState|sync)|_(?:nodeInfo|peers|portcullis)|_estimate/i;

/** What a call of a method weighs that no row below names: as much as a read of state. */
export const NODE_METHOD_CREDITS = 80;

type PriceRow = readonly [names: RegExp, credits: number];

/** Credits by what a call costs a node, as those of the service's own methods: the first row that a name matches. */
const PRICES: readonly PriceRow[] = [
  // All transactions of a block, or of a range of blocks, are executed or read.
  [/^debug_(?:traceBlock|traceBadBlock|traceChain|traceCallMany|intermediateRoots|replayBlock)/, 1000],
  [/^debug_(?:executionWitness|accountRange|getModifiedAccounts|getBadBlocks)/, 1000],
  [/^(?:arb)?trace_(?:block|replayBlock|filter|callMany)/, 1000],
  [/^ots_(?:getBlockTransactions|searchTransactions)/, 1000],
  [/^erigon_(?:getLatestLogs|getLogs|getBlockReceipts)/, 1000],
  [/^alchemy_get(?:TransactionReceipts|AssetTransfers)/, 1000],
  [/^txpool_(?:content|inspect)$/, 1000],
  // One transaction is executed, after those before it in its block.
  [/^(?:debug|(?:arb)?trace)_/, 300],
  [/^ots_(?:trace|getInternalOperations|getTransactionError|getContractCreator|getTransactionBySender)/, 300],
  [/^(?:linea|zks)_getProof/, 300],
  [/^zks_getBlockDetails|^zks_getRawBlockTransactions/, 150],
  // Figures that a node has in memory.
  [/^(?:txpool_status|ots_getApiLevel|erigon_(?:forks|blockNumber)|optimism_version)$/, 20],
  [
    /^zks_(?:L1BatchNumber|L1ChainId|get(?:Main|Bridgehub)Contract|getBridgeContracts|getTestnetPaymaster)$/,
    20,
  ],
  [/^bor_getCurrent(?:Proposer|Validators)$/, 20],
];

/** The namespace under which a method that is passed on by default is counted, as `debug_*`; undefined for any other. It may write. */
export function findPassedNamespace(name: string): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  if (!PASSED_PREFIXES.some((prefix) => name.startsWith(prefix)) || NOT_PASSED.test(name)) return undefined;
  return `${name.slice(0, name.indexOf('_'))}_*`;
}

/** Credits of a call of a method of nodes; undefined where no row names it. */
export function findNodeMethodCredits(name: string): number | undefined {
  return PRICES.find(([names]) => names.test(name))?.[1];
}
