/**
 * Fees that the OP Stack charges in addition to gas, by fork (specs, exec-engine of each fork). At run time, the service calls the chain's own
 * contract. The service uses these formulas for Mantle's operator fee, and where a node's gas limit is too low for the contract. Tests compare the
 * formulas with contracts and receipts.
 */
import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';

/** Numbers of zero and non-zero bytes of a transaction, including its signature. */
export type CalldataBytes = { readonly zero: bigint; readonly nonZero: bigint };

/** Layer 1 prices in wei, and the chain's scalars. */
export type BedrockPrices = {
  readonly l1BaseFee: bigint;
  readonly overhead: bigint;
  readonly scalar: bigint;
};
export type EcotonePrices = {
  readonly l1BaseFee: bigint;
  readonly blobBaseFee: bigint;
  readonly baseFeeScalar: bigint;
  readonly blobBaseFeeScalar: bigint;
};
export type OperatorPrices = { readonly scalar: bigint; readonly constant: bigint };

const MICRO = 1_000_000n;
/** Until Regolith, this number of non-zero bytes was added for a signature, although the transaction bytes already include the signature. */
const SIGNATURE_BYTES = 68n;
/** Coefficients of Fjord's linear regression over real batch sizes, in millionths of a byte (specs, fjord/exec-engine). */
const FJORD_INTERCEPT = -42_585_600n;
const FJORD_SLOPE = 836_500n;
const FJORD_LEAST = 100n * MICRO;

function calldataGas({ zero, nonZero }: CalldataBytes): bigint {
  return 4n * zero + 16n * nonZero;
}

/** Returns the data fee, in wei, by the rules between the forks Bedrock and Regolith. */
export function computeBedrockFee(data: CalldataBytes, prices: BedrockPrices): bigint {
  return computeRegolithFee({ ...data, nonZero: data.nonZero + SIGNATURE_BYTES }, prices);
}

/** Returns the data fee in wei from Regolith to Ecotone. */
export function computeRegolithFee(
  data: CalldataBytes,
  { l1BaseFee, overhead, scalar }: BedrockPrices,
): bigint {
  return ((calldataGas(data) + overhead) * l1BaseFee * scalar) / MICRO;
}

/** Returns the weighted price of a byte as calldata and in a blob, in millionths of a wei. */
function weigh({ l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar }: EcotonePrices): bigint {
  return 16n * l1BaseFee * baseFeeScalar + blobBaseFee * blobBaseFeeScalar;
}

/** Returns the data fee in wei from Ecotone to Fjord. */
export function computeEcotoneFee(data: CalldataBytes, prices: EcotonePrices): bigint {
  return (calldataGas(data) * weigh(prices)) / (16n * MICRO);
}

/**
 * Returns the data fee in wei from Fjord on.
 * @param fastLzSize compressed size in bytes of the transaction with its signature; see `measureFastLz`
 */
export function computeFjordFee(fastLzSize: number, prices: EcotonePrices): bigint {
  return (estimateFjordSize(fastLzSize) * weigh(prices)) / (MICRO * MICRO);
}

/** Returns the layer 1 gas as receipts report it (`l1GasUsed`). */
export function computeFjordGas(fastLzSize: number): bigint {
  return (estimateFjordSize(fastLzSize) * 16n) / MICRO;
}

/** Returns the estimated size of a transaction in a batch, in millionths of a byte. */
function estimateFjordSize(fastLzSize: number): bigint {
  return maxBigInt(FJORD_LEAST, FJORD_INTERCEPT + FJORD_SLOPE * BigInt(fastLzSize));
}

/** Returns the operator fee in wei from Isthmus to Jovian. */
export function computeIsthmusOperatorFee(gas: bigint, { scalar, constant }: OperatorPrices): bigint {
  return (gas * scalar) / MICRO + constant;
}

/** Returns the operator fee in wei from Jovian on. */
export function computeJovianOperatorFee(gas: bigint, { scalar, constant }: OperatorPrices): bigint {
  return gas * scalar * 100n + constant;
}
