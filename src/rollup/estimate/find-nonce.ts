import { encodeBlockReference } from '../../chain/block-reference.ts';
import { type CallRequest, type CallScope, type Chain, UNSUPPORTED } from '../../chain/chain.ts';
import { readQuantity } from '../answers.ts';
import type { PinnedBlock } from './pin-block.ts';

/** The sender's next nonce. It only sizes the transaction: 0 stands in where the chain cannot tell. */
export async function findNonce(
  chain: Chain,
  { call, stateOverrides }: CallRequest,
  { reference }: PinnedBlock,
  scope: CallScope,
): Promise<bigint> {
  if (call.nonce !== undefined) return BigInt(call.nonce);
  if (call.from === undefined) return 0n;
  const override = stateOverrides?.[call.from.toLowerCase()]?.nonce;
  if (override !== undefined) return BigInt(override);
  const params = [call.from, encodeBlockReference(reference)];
  const answer = await chain.request('eth_getTransactionCount', params, scope);
  return answer === UNSUPPORTED ? 0n : readQuantity(answer, 'Unable to query sender nonce', 64);
}
