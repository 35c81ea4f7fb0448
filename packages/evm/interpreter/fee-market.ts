/** Prices that a block derives from its parent: base fee (EIP-1559) and blob gas (EIP-4844, 7691, 7918). */

const BASE_FEE_CHANGE_DENOMINATOR = 8n;
const ELASTICITY = 2n;
/** EIP-1559: base fee of the first London block, wei. */
export const INITIAL_BASE_FEE: bigint = 1_000_000_000n;

/** Computes the base fee of the block after `parent`, wei per gas. */
export function computeNextBaseFee(parent: {
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly baseFeePerGas: bigint;
}): bigint {
  const target = parent.gasLimit / ELASTICITY;
  if (parent.gasUsed === target || target === 0n) return parent.baseFeePerGas;
  if (parent.gasUsed > target) {
    const change = (parent.baseFeePerGas * (parent.gasUsed - target)) / target / BASE_FEE_CHANGE_DENOMINATOR;
    return parent.baseFeePerGas + (change > 1n ? change : 1n);
  }
  return (
    parent.baseFeePerGas -
    (parent.baseFeePerGas * (target - parent.gasUsed)) / target / BASE_FEE_CHANGE_DENOMINATOR
  );
}

const GAS_PER_BLOB = 131072n;
const MIN_BLOB_GAS_PRICE = 1n;
/** EIP-7918: minimum execution gas that a blob is assumed to cost. */
const BLOB_BASE_COST = 8192n;

/** Approximates `factor * e ** (numerator / denominator)` by a Taylor series in integers (EIP-4844). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}

/** `MAX_PRICE` is the largest 256-bit value. From `MAX_EXPONENT` on, the exponential exceeds `MAX_PRICE`. */
const MAX_PRICE = 2n ** 256n - 1n;
const MAX_EXPONENT = 178n;

/** Returns the blob base fee in wei, capped at 2^256 - 1: the excess blob gas of an unverified header can make the exponential arbitrarily large. */
export function computeBlobGasPrice(excessBlobGas: bigint, baseFeeUpdateFraction: bigint): bigint {
  if (excessBlobGas >= MAX_EXPONENT * baseFeeUpdateFraction) return MAX_PRICE;
  const price = fakeExponential(MIN_BLOB_GAS_PRICE, excessBlobGas, baseFeeUpdateFraction);
  return price > MAX_PRICE ? MAX_PRICE : price;
}

export type BlobMarketParent = {
  readonly excessBlobGas: bigint;
  readonly blobGasUsed: bigint;
  readonly baseFeePerGas: bigint;
};

/**
 * Computes the excess blob gas of the block after `parent`. `target` and `max` are numbers of blobs, from the blob schedule of the new block.
 * @param hasReserve whether a reserve price keeps the blob price near the execution cost of a blob (EIP-7918, Osaka)
 */
export function computeExcessBlobGas(
  parent: BlobMarketParent,
  schedule: { readonly target: bigint; readonly max: bigint; readonly baseFeeUpdateFraction: bigint },
  hasReserve: boolean,
): bigint {
  const total = parent.excessBlobGas + parent.blobGasUsed;
  const target = schedule.target * GAS_PER_BLOB;
  if (total < target) return 0n;
  if (hasReserve) {
    const blobPrice = computeBlobGasPrice(parent.excessBlobGas, schedule.baseFeeUpdateFraction);
    if (BLOB_BASE_COST * parent.baseFeePerGas > GAS_PER_BLOB * blobPrice) {
      return parent.excessBlobGas + (parent.blobGasUsed * (schedule.max - schedule.target)) / schedule.max;
    }
  }
  return total - target;
}
