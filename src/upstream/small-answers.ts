/**
 * Methods with answers that are small and soon there, as a rule: their calls may share a request to a node. Not among them: what
 * contains blocks, receipts of blocks, logs or traces, simulations, and all that writes.
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

/** UTF-16 units of the parameters of a proof that is small: of an account and three slots, about 20 kB. */
const SMALL_PROOF_LENGTH = 400;

/** Whether the answer to one call of the method delays others little that wait for the same bytes. */
export function hasSmallAnswer(method: string, params: string): boolean {
  return SMALL.has(method) || (method === 'eth_getProof' && params.length <= SMALL_PROOF_LENGTH);
}
