import type { RequestScope } from '../../util/request-scope.ts';
import type { Draft } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { encodeSigningPayload } from '../estimate/signing-payload.ts';
import type { GasEstimate, RollupSources } from '../rollup-family.ts';
import { readL1Fee, readOperatorFee } from './oracle.ts';

/** How a chain of the stack prices what is beside the gas. */
export type DraftPricing = {
  /** Units of the gas token for one ETH, in which the oracle gives its fee for data. */
  readonly tokenRatio: bigint;
  /** Reads the operator's fee, in wei of the gas token. */
  readonly readOperatorFee: typeof readOperatorFee;
};

/** As the OP Stack does: all in ETH, and the oracle knows the operator's fee. */
export const OP_STACK_PRICING: DraftPricing = { tokenRatio: 1n, readOperatorFee };

/** The second round: what the chain's contracts say of a transaction. */
export async function priceDraft(
  { chain, l1CostMode }: RollupSources,
  { call, defaults, gasLimit, baseFeePerGas, reference, findTip }: Draft,
  pricing: DraftPricing,
  scope: RequestScope,
): Promise<GasEstimate> {
  const transaction = encodeSigningPayload(call, defaults);
  const [tip, l1Fee, operatorFee] = await Promise.all([
    findTip(),
    readL1Fee(chain, transaction, reference, scope),
    pricing.readOperatorFee(chain, gasLimit, reference, scope),
  ]);
  const l1Cost = l1Fee * pricing.tokenRatio + operatorFee;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}
