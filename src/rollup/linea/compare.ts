import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { Chain } from '../../chain/chain.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { allowBlockStep, type Comparison } from '../estimate/comparison.ts';
import type { GasEstimate } from '../rollup-family.ts';
import { priceLineaCall } from './estimate.ts';
import { computeLineaCompatibilityFee, removeMargin } from './fee.ts';

/**
 * Compares the cost of a call by the node's own method with the cost by the formula. The two costs differ for three reasons. The plugin compresses
 * the transaction, while the formula uses an upper bound on the compressed size. The plugin's margin is 1.0 by default and 1.2 on public nodes. The
 * plugin's result is at least the node's minimum gas price. This minimum is the price in the header; in compatibility mode, it is 1.2 times that
 * price.
 */
export async function compareLineaEstimate(
  chain: Chain,
  request: CallRequest,
  native: GasEstimate,
  scope: RequestScope,
): Promise<Comparison> {
  const { estimate, pricing } = await priceLineaCall(chain, request, scope);
  const { gasLimit, baseFeePerGas, priorityFeePerGas } = estimate;
  const costAt = (tip: bigint): bigint => gasLimit * (baseFeePerGas + tip);
  const leastTip = pricing === undefined ? removeMargin(priorityFeePerGas) : pricing.fixedCost;
  const floor = pricing === undefined ? 0n : computeLineaCompatibilityFee(pricing.ethGasPrice, baseFeePerGas);
  return {
    what: 'gas x (base fee + priority fee), wei',
    native: {
      from: 'linea_estimateGas',
      value: native.gasLimit * (native.baseFeePerGas + native.priorityFeePerGas),
    },
    fallback: {
      from: pricing === undefined ? 'eth_gasPrice' : 'prices in extraData',
      value: costAt(priorityFeePerGas),
    },
    ...allowBlockStep(costAt(leastTip), costAt(maxBigInt(priorityFeePerGas, floor))),
  };
}
