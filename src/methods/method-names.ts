/** Names of the methods of the table, for what checks names and need not load the methods (50 ms); a test compares the two. */
export const METHOD_NAMES: readonly string[] = [
  'eth_getUncleByBlockNumberAndIndex',
  'eth_estimateGas',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getBlockReceipts',
  'eth_call',
  'l2_estimateGas',
  'rollup_getInfo',
  'eth_chainId',
  'net_version',
  'web3_clientVersion',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionCount',
  'eth_getLogs',
];
