import type { NodeCall } from '../../pool/node-call.ts';

/** Builds the requests for nodes without `eth_getBlockReceipts`: one per receipt. */
export function listReceipts(transactionHashes: readonly string[]): readonly NodeCall[] {
  const method = 'eth_getTransactionReceipt';
  return transactionHashes.map((hash) => ({ method, params: `["${hash}"]` }));
}
