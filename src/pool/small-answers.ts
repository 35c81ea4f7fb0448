/**
 * Methods whose answers are usually small and quick: calls of these methods may share a request to a node. Excluded are methods whose answers
 * contain blocks, receipts of blocks, logs or traces, simulations, and all methods that write.
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

/** Maximum length of the parameters of a small proof, UTF-16 units: an account and three slots, about 20 kB of answer. */
const SMALL_PROOF_LENGTH = 400;

/** Whether the answer to one call of the method delays other calls in the same response only a little. */
export function hasSmallAnswer(method: string, params: string): boolean {
  return SMALL.has(method) || (method === 'eth_getProof' && params.length <= SMALL_PROOF_LENGTH);
}
