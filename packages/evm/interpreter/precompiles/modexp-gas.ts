/** Gas of the modexp precompile, by EIP (198, 2565, 7883). */

export type ModexpSizes = {
  /** Length of the longer of base and modulus, bytes. */
  readonly operandBytes: bigint;
  readonly exponentBytes: bigint;
  /** The first 32 bytes of the exponent, or all of it when it is shorter. */
  readonly exponentHead: bigint;
};

export type ModexpPricing = (sizes: ModexpSizes) => bigint;

/** Returns the number of squarings that the EIPs charge for an exponent. `perByte` is the number for each byte after the first 32. */
function countIterations({ exponentBytes, exponentHead }: ModexpSizes, perByte: bigint): bigint {
  const headBits = BigInt(exponentHead.toString(2).length - 1);
  const tail = exponentBytes > 32n ? perByte * (exponentBytes - 32n) : 0n;
  const iterations = tail + (exponentHead === 0n ? 0n : headBits);
  return iterations > 0n ? iterations : 1n;
}

function square(value: bigint): bigint {
  return value * value;
}

function atLeast(minimum: bigint, gas: bigint): bigint {
  return gas > minimum ? gas : minimum;
}

/** EIP-198 (Byzantium). */
export function priceByEip198(sizes: ModexpSizes): bigint {
  const x = sizes.operandBytes;
  let complexity = square(x);
  if (x > 1024n) complexity = complexity / 16n + 480n * x - 199_680n;
  else if (x > 64n) complexity = complexity / 4n + 96n * x - 3072n;
  return (complexity * countIterations(sizes, 8n)) / 20n;
}

/** EIP-2565 (Berlin). */
export function priceByEip2565(sizes: ModexpSizes): bigint {
  const complexity = square((sizes.operandBytes + 7n) / 8n);
  return atLeast(200n, (complexity * countIterations(sizes, 8n)) / 3n);
}

/** EIP-7883 (Osaka). */
export function priceByEip7883(sizes: ModexpSizes): bigint {
  const x = sizes.operandBytes;
  const complexity = x <= 32n ? 16n : 2n * square((x + 7n) / 8n);
  return atLeast(500n, complexity * countIterations(sizes, 16n));
}
