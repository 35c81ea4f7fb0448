import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { encodeBytesCall, readWord } from '../contract.ts';

/** `l1BaseFee()` */
export const L1_BASE_FEE = '0x519b4bd3';
/** `getL1Fee(bytes)` for a signed transaction. */
const GET_L1_FEE = '0x49948e0e';
/** `isGalileo()` */
const IS_GALILEO = '0x0f337f6d';

/** Oracle and node method of a chain with Scroll's pricing. */
export type ScrollPricing = {
  /** Address of the oracle contract. */
  readonly oracle: string;
  /** Method of the node that returns the data fee. */
  readonly nodeMethod: string;
};

/**
 * Reads the data fee of a transaction in wei.
 * @param counted signed transaction; since Galileo it is cut to its compressed size, because the contract uses only the length
 * @throws ChainError `misconfigured` if the chain has no oracle contract
 */
export async function readScrollL1Fee(
  chain: Chain,
  { oracle }: ScrollPricing,
  counted: Uint8Array,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const fee = await readWord(chain, { to: oracle, data: encodeBytesCall(GET_L1_FEE, counted) }, block, scope);
  if (fee !== undefined) return fee;
  throw new ChainError(
    'misconfigured',
    `the contract ${oracle} has no getL1Fee(bytes): the chain is not of the configured family`,
  );
}

/** Returns whether the oracle counts compressed bytes, as it does since the Galileo fork. */
export async function countsCompressed(
  chain: Chain,
  { oracle }: ScrollPricing,
  block: BlockReference,
  scope: RequestScope,
): Promise<boolean> {
  return (await readWord(chain, { to: oracle, data: IS_GALILEO }, block, scope)) === 1n;
}
