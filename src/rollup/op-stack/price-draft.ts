import type { RequestScope } from '../../util/request-scope.ts';
import type { Draft } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { encodeSigningPayload } from '../estimate/signing-payload.ts';
import type { GasEstimate, RollupSources } from '../rollup-family.ts';
import { readL1Fee, readOperatorFee } from './oracle.ts';

/**
 * The second round: what the chain's oracle says of a transaction.
 * @param tokenRatio units of the gas token for one ETH, in which the oracle gives its fee for data
 */
export async function priceDraft(
  { chain, l1CostMode }: RollupSources,
  { call, defaults, gasLimit, baseFeePerGas, reference, findTip }: Draft,
  tokenRatio: bigint,
  scope: RequestScope,
): Promise<GasEstimate> {
  const transaction = encodeSigningPayload(call, defaults);
  const [tip, l1Fee, operatorFee] = await Promise.all([
    findTip(),
    readL1Fee(chain, transaction, reference, scope),
    readOperatorFee(chain, gasLimit, reference, scope),
  ]);
  const l1Cost = l1Fee * tokenRatio + operatorFee;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}
