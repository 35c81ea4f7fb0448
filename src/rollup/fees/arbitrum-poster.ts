/** What an Arbitrum node adds to an estimate for layer 1. Nothing asks for it at run time: the node's estimate has it. */
import { maxBigInt } from '../../primitives/bigint.ts';

/** Nitro's GasEstimationL1PricePadding, ten-thousandths. */
const PADDING = 11_000n;
const WHOLE = 10_000n;

/**
 * Gas that stands for the cost of layer 1 in an estimate: the padded cost over a price that may have fallen by an
 * eighth until the transaction is there, but not below the chain's minimum (nitro, arbos/tx_processor.go, GetPosterGas).
 * All in wei.
 */
export function computePosterGas(cost: bigint, gasPrice: bigint, minimumGasPrice: bigint): bigint {
  const padded = (cost * PADDING) / WHOLE;
  return padded / maxBigInt((gasPrice * 7n) / 8n, minimumGasPrice);
}
