import type { RequestScope } from '../../util/request-scope.ts';
import type { Draft } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { encodeSigningBytes } from '../estimate/signing-payload.ts';
import type { GasEstimate, RollupSources } from '../rollup-family.ts';
import { readL1Fee, readOperatorFee } from './oracle.ts';

/** Charges of an OP Stack chain in addition to gas. */
export type DraftPricing = {
  /** Gas token units per ETH; the oracle returns the data fee in ETH. */
  readonly tokenRatio: bigint;
  /** Reads the operator fee in wei of the gas token. */
  readonly readOperatorFee: typeof readOperatorFee;
};

/** Default charges of the OP Stack: all fees are in ETH, and the oracle returns the operator fee. */
export const OP_STACK_PRICING: DraftPricing = { tokenRatio: 1n, readOperatorFee };

/** Completes the estimate with a second round of requests, to the chain's fee contracts. */
export async function priceDraft(
  { chain, l1CostMode }: RollupSources,
  { call, defaults, gasLimit, baseFeePerGas, reference, findTip }: Draft,
  pricing: DraftPricing,
  scope: RequestScope,
): Promise<GasEstimate> {
  const transaction = encodeSigningBytes(call, defaults);
  const [tip, l1Fee, operatorFee] = await Promise.all([
    findTip(),
    readL1Fee(chain, transaction, reference, scope),
    pricing.readOperatorFee(chain, gasLimit, reference, scope),
  ]);
  const l1Cost = l1Fee * pricing.tokenRatio + operatorFee;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}
