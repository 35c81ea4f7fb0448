import type { Chain } from '../../chain/chain.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readQuantity } from '../answers.ts';
import type { EstimateBlock } from './pin-block.ts';

/** Returns the sender's next nonce; 0 without a sender. The nonce only affects the size of the transaction. */
export async function findNonce(
  chain: Chain,
  { call, stateOverrides }: CallRequest,
  { reference }: EstimateBlock,
  scope: RequestScope,
): Promise<bigint> {
  if (call.nonce !== undefined) return BigInt(call.nonce);
  if (call.from === undefined) return 0n;
  const override = stateOverrides?.[call.from.toLowerCase()]?.nonce;
  if (override !== undefined) return BigInt(override);
  const answer = await chain.state.getTransactionCount(call.from, reference, scope);
  return readQuantity(answer, 'Unable to query sender nonce', 64);
}
