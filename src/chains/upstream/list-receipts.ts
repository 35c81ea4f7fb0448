import type { NodeCall } from '../../pool/node-call.ts';

/** Requests for nodes without `eth_getBlockReceipts`: the receipts one by one. */
export function listReceipts(transactionHashes: readonly string[]): readonly NodeCall[] {
  const method = 'eth_getTransactionReceipt';
  return transactionHashes.map((hash) => ({ method, params: `["${hash}"]` }));
}
