/** geth's checks of points (core/vm/contracts.go), to explain inputs that a precompile rejected. */
import { bytesToBigInt } from '../../../ethereum/primitives/bytes.ts';

/** A short Weierstrass curve y^2 = x^3 + b over a prime field, and its twist over the field's extension by i^2 = -1. */
export type CurveField = {
  readonly prime: bigint;
  readonly b: bigint;
  /** Real and imaginary part of the twist's b. */
  readonly twistB: readonly [bigint, bigint];
};

/** BLS12-381 (EIP-2537). */
export const BLS12_381: CurveField = {
  prime: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  b: 4n,
  twistB: [4n, 4n],
};

/** alt_bn128 (EIP-196, EIP-197). */
export const BN254: CurveField = {
  prime: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  b: 3n,
  twistB: [
    0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5n,
    0x009713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2n,
  ],
};

export const INVALID_ENCODING = 'invalid fp.Element encoding';

/** Decodes the coordinates, `count` integers of equal length; undefined when one is not below the field prime. */
export function readCoordinates(
  input: Uint8Array,
  count: number,
  { prime }: CurveField,
): bigint[] | undefined {
  const length = input.length / count;
  const coordinates: bigint[] = [];
  for (let i = 0; i < count; i++) {
    const value = bytesToBigInt(input.subarray(i * length, (i + 1) * length));
    if (value >= prime) return undefined;
    coordinates.push(value);
  }
  return coordinates;
}

/** Whether (x, y) is on the curve; (0, 0) is the point at infinity. */
export function isOnCurve([x = 0n, y = 0n]: readonly bigint[], { prime, b }: CurveField): boolean {
  if (x === 0n && y === 0n) return true;
  return (y * y - x * x * x - b) % prime === 0n;
}

type Complex = readonly [bigint, bigint];

/** Whether (x, y) is on the twist; the coordinates are complex, and zeros are the point at infinity. */
export function isOnTwist(x: Complex, y: Complex, { prime, twistB }: CurveField): boolean {
  if ([...x, ...y].every((part) => part === 0n)) return true;
  const multiply = (a: Complex, b: Complex): Complex => [
    (a[0] * b[0] - a[1] * b[1]) % prime,
    (a[0] * b[1] + a[1] * b[0]) % prime,
  ];
  const left = multiply(y, y);
  const right = multiply(multiply(x, x), x);
  return [0, 1].every(
    (part) => ((left[part] as bigint) - (right[part] as bigint) - (twistB[part] as bigint)) % prime === 0n,
  );
}
