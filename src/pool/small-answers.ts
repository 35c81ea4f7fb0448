/**
 * Methods whose answers are usually small and fast, so that their calls may share a request to a node. Not included are methods that return blocks,
 * all receipts of a block, logs or traces, simulations, and methods that write.
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
 * Maximum length of the parameters of an `eth_getProof` with a small answer, UTF-16 units: an account and three slots, whose proofs take about 20 kB.
 */
const SMALL_PROOF_LENGTH = 400;

/** Whether a call may share a request with others, because its answer hardly delays theirs. */
export function hasSmallAnswer(method: string, params: string): boolean {
  return SMALL.has(method) || (method === 'eth_getProof' && params.length <= SMALL_PROOF_LENGTH);
}
