/**
 * Methods with answers that are small and soon there, as a rule: their calls may share a request to a node. Not among them: what
 * contains blocks, receipts of blocks, logs or traces, simulations, and all that writes.
 */
const SMALL: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getCode',
  // About 5 kB for each account and slot; parameters of calls that share a request leave room for 60 slots.
  'eth_getProof',
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

/** Whether the answer to one call of the method delays others little that wait for the same bytes. */
export function hasSmallAnswer(method: string): boolean {
  return SMALL.has(method);
}
