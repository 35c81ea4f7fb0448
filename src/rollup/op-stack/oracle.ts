/** The predeploy that returns an OP Stack chain's prices (specs, predeploys). It is the authority: forks change it with the chain. */
import type { BlockReference, Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { encodeBytesCall, encodeWordCall, readWord } from '../contract.ts';

export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
/** `getL1Fee(bytes)`, of an unsigned transaction: the contract adds what a signature takes. */
const GET_L1_FEE = '0x49948e0e';
/** `getOperatorFee(uint256)`, since Isthmus. */
const GET_OPERATOR_FEE = '0x275aedd2';

/** What a transaction pays for its data, wei. @throws ChainError when the chain has no such contract */
export async function readL1Fee(
  chain: Chain,
  transaction: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: GAS_PRICE_ORACLE, data: encodeBytesCall(GET_L1_FEE, transaction) };
  const fee = await readWord(chain, call, block, scope);
  if (fee !== undefined) return fee;
  throw new ChainError(
    'misconfigured',
    `no getL1Fee(bytes) at ${GAS_PRICE_ORACLE}: the chain is not of the family that is configured`,
  );
}

/** What the operator takes for so much gas, wei; nothing before Isthmus. */
export async function readOperatorFee(
  chain: Chain,
  gas: bigint,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const call = { to: GAS_PRICE_ORACLE, data: encodeWordCall(GET_OPERATOR_FEE, gas) };
  return (await readWord(chain, call, block, scope)) ?? 0n;
}
