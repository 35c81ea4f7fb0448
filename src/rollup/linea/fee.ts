import type { LineaPricing } from './extra-data.ts';

/** The margin of Linea's public nodes on estimates (`estimate-gas-min-margin`), 1.2 as a fraction. */
const MARGIN_NUMERATOR = 12n;
const MARGIN_DENOMINATOR = 10n;

/**
 * The priority fee per gas at which a sequencer finds a transaction profitable:
 * `trunc(1.2 x (floor(variableCost x compressedSize / gasLimit) + fixedCost))`, in whole wei throughout.
 * @throws RangeError when `gasLimit` is not positive.
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
 * The priority fee where only a gas price is known: `ceil(1.2 x (gasPrice - baseFee))`, the rule of a Linea node
 * in its compatibility mode. Not positive when the gas price leaves nothing above the base fee.
 */
export function computeLineaCompatibilityFee(gasPrice: bigint, baseFeePerGas: bigint): bigint {
  if (gasPrice <= baseFeePerGas) return 0n;
  const scaled = (gasPrice - baseFeePerGas) * MARGIN_NUMERATOR;
  return (scaled + MARGIN_DENOMINATOR - 1n) / MARGIN_DENOMINATOR;
}

/** A fee without the margin of public nodes, rounded down. */
export function removeMargin(fee: bigint): bigint {
  return (fee * MARGIN_DENOMINATOR) / MARGIN_NUMERATOR;
}
