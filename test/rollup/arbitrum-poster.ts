/** Gas that an Arbitrum node adds to an estimate for layer 1. Only tests use it: at run time the node's estimate includes it. */
import { maxBigInt } from '../../packages/ethereum/primitives/bigint.ts';

/** Nitro's GasEstimationL1PricePadding, in ten-thousandths. */
const PADDING = 11_000n;
const WHOLE = 10_000n;

/**
 * Returns the gas that covers the layer 1 cost in an estimate: the padded cost divided by a gas price that may fall by an eighth before
 * inclusion, but not below the chain's minimum (nitro, arbos/tx_processor.go, GetPosterGas). All parameters are in wei.
 */
export function computePosterGas(cost: bigint, gasPrice: bigint, minimumGasPrice: bigint): bigint {
  const padded = (cost * PADDING) / WHOLE;
  return padded / maxBigInt((gasPrice * 7n) / 8n, minimumGasPrice);
}
