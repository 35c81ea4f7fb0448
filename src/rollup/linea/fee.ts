import type { LineaPricing } from './extra-data.ts';

/** Margin of 1.2 that Linea's public nodes add to estimates (`estimate-gas-min-margin`), as a fraction. */
const MARGIN_NUMERATOR = 12n;
const MARGIN_DENOMINATOR = 10n;

/**
 * Returns the priority fee per gas at which a sequencer considers a transaction profitable. The formula is `trunc(1.2 x (floor(variableCost x
 * compressedSize / gasLimit) + fixedCost))`; all values are whole wei.
 * @param compressedSize size of the compressed transaction, bytes
 * @throws RangeError if `gasLimit` is not positive
 */
export function computeLineaPriorityFee(
  pricing: LineaPricing,
  compressedSize: number,
  gasLimit: bigint,
): bigint {
  if (gasLimit <= 0n) throw new RangeError('gas limit is not positive');
  const variablePart = (pricing.variableCost * BigInt(compressedSize)) / gasLimit;
  return ((variablePart + pricing.fixedCost) * MARGIN_NUMERATOR) / MARGIN_DENOMINATOR;
}

/**
 * Returns the priority fee if only a gas price is known: `ceil(1.2 x (gasPrice - baseFee))`, the rule of a Linea node in compatibility mode. Returns
 * 0 if the gas price does not exceed the base fee. All values are wei per gas.
 */
export function computeLineaCompatibilityFee(gasPrice: bigint, baseFeePerGas: bigint): bigint {
  if (gasPrice <= baseFeePerGas) return 0n;
  const scaled = (gasPrice - baseFeePerGas) * MARGIN_NUMERATOR;
  return (scaled + MARGIN_DENOMINATOR - 1n) / MARGIN_DENOMINATOR;
}

/** Removes the margin of public nodes from a fee, and rounds the result down. */
export function removeMargin(fee: bigint): bigint {
  return (fee * MARGIN_DENOMINATOR) / MARGIN_NUMERATOR;
}
