/**
 * Methods whose answers are usually small and fast, so that their calls may share a request to a node. The set has no methods that return blocks, all
 * receipts of a block, logs or traces, no simulations, and no methods that write.
 */
const SMALL: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getRawTransactionByHash',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_blobBaseFee',
  'eth_baseFee',
]);

/**
 * Maximum length of the parameters of an `eth_getProof` that counts as small, UTF-16 units. Parameters of this length name an account and three
 * slots, whose proofs take about 20 kB.
 */
const SMALL_PROOF_LENGTH = 400;

/** Whether a call may share a request with other calls, because its small answer hardly delays their answers. */
export function hasSmallAnswer(method: string, params: string): boolean {
  return SMALL.has(method) || (method === 'eth_getProof' && params.length <= SMALL_PROOF_LENGTH);
}
