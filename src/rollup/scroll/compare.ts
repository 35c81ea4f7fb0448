import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { Chain } from '../../chain/chain.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { Comparison } from '../estimate/comparison.ts';
import { readScrollL1Fee, type ScrollPricing } from './oracle.ts';

/** Bytes of the fields that the node fills in if the call omits them: nonce, gas limit and two fees, 8 bytes each. */
const OPEN_BYTES = 32n;
/** Bytes of a signature; the node uses a dummy signature that compresses well. */
const SIGNATURE_BYTES = 64n;

/** Transaction in the form that the oracle counts. */
export type CountedTransaction = { readonly bytes: Uint8Array; readonly isCompressed: boolean };

/**
 * Compares the node's layer 1 fee with the contract's fee at the same block. Node and contract may count different numbers of transaction bytes.
 * Before the Galileo fork, the fee is proportional to the number of bytes. Galileo counts compressed bytes, and its fee grows at most with the square
 * of their number.
 */
export async function compareScrollFee(
  chain: Chain,
  pricing: ScrollPricing,
  nodeFee: bigint,
  { bytes, isCompressed }: CountedTransaction,
  block: BlockReference,
  scope: RequestScope,
): Promise<Comparison> {
  const fee = await readScrollL1Fee(chain, pricing, bytes, block, scope);
  const size = BigInt(bytes.length);
  const open = isCompressed ? OPEN_BYTES + SIGNATURE_BYTES : OPEN_BYTES;
  const power = isCompressed ? 2n : 1n;
  const scale = (other: bigint): bigint => fee * other ** power;
  const whole = size ** power;
  return {
    what: 'fee for layer 1, wei',
    native: { from: pricing.nodeMethod, value: nodeFee },
    fallback: { from: `getL1Fee of ${pricing.oracle}`, value: fee },
    least: scale(maxBigInt(size - open, 0n)) / whole,
    most: (scale(size + open) + whole - 1n) / whole,
  };
}
