import type { NodeCall } from '../../pool/node-call.ts';

/** Builds the requests that replace `eth_getBlockReceipts` at a node without this method: one per transaction. */
export function listReceipts(transactionHashes: readonly string[]): readonly NodeCall[] {
  const method = 'eth_getTransactionReceipt';
  return transactionHashes.map((hash) => ({ method, params: `["${hash}"]` }));
}
