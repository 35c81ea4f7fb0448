import type { BlockReference, Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { encodeBytesCall, readWord } from '../contract.ts';

export const L1_GAS_PRICE_ORACLE = '0x5300000000000000000000000000000000000002';
/** `getL1Fee(bytes)`, of a transaction with its signature. */
const GET_L1_FEE = '0x49948e0e';

/**
 * What a transaction pays for its data, wei. Since Galileo the contract expects it compressed; without that its answer is
 * the most that it can be.
 * @throws ChainError when the chain has no such contract
 */
export async function readScrollL1Fee(
  chain: Chain,
  transaction: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: L1_GAS_PRICE_ORACLE, data: encodeBytesCall(GET_L1_FEE, transaction) };
  const fee = await readWord(chain, call, block, scope);
  if (fee !== undefined) return fee;
  throw new ChainError(
    'misconfigured',
    `no getL1Fee(bytes) at ${L1_GAS_PRICE_ORACLE}: the chain is not of the family that is configured`,
  );
}
