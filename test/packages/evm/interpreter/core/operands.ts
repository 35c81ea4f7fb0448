/** Seeded operands at carries, digit boundaries and special cases. */

const MASK: bigint = (1n << 256n) - 1n;

/** Moduli with special code paths, or with digits for which quotient estimates err. */
export const NOTABLE: readonly bigint[] = [
  0n,
  1n,
  2n,
  MASK,
  MASK - 1n,
  1n << 255n,
  (1n << 255n) - 19n,
  (1n << 256n) - (1n << 32n) - 977n,
  (1n << 256n) - (1n << 64n) + 1n,
  0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  (1n << 128n) - 1n,
  1n << 128n,
  (1n << 64n) - 1n,
  1n << 64n,
  (1n << 192n) - 1n,
  (1n << 255n) + ((1n << 63n) - 1n),
  10n ** 18n,
  1000n,
];

export type OperandSource = { readonly next: () => bigint; readonly nextIndex: (bound: number) => number };

/** Creates a deterministic operand source: equal seeds give equal operands (xorshift128+). */
export function createOperandSource(seed: bigint): OperandSource {
  let s0 = BigInt.asUintN(64, seed * 0x9e3779b97f4a7c15n + 1n);
  let s1 = BigInt.asUintN(64, (seed + 2n) * 0xbf58476d1ce4e5b9n);
  const nextLimb = (): bigint => {
    const t = BigInt.asUintN(64, s0 ^ (s0 << 23n));
    s0 = s1;
    s1 = t ^ s1 ^ (t >> 18n) ^ (s1 >> 5n);
    return BigInt.asUintN(64, s0 + s1);
  };
  const nextIndex = (bound: number): number => Number(nextLimb() >> 11n) % bound;
  const nextWord = (): bigint =>
    (((((nextLimb() << 64n) | nextLimb()) << 64n) | nextLimb()) << 64n) | nextLimb();
  const nextBits = (): bigint => BigInt(nextIndex(257));
  const nextEdgeLimb = (): bigint => [0n, 1n, (1n << 64n) - 1n, 1n << 63n, nextLimb()][nextIndex(5)] ?? 0n;
  let previous = 0n;
  const make = (): bigint => {
    switch (nextIndex(10)) {
      case 0:
        return NOTABLE[nextIndex(NOTABLE.length)] ?? 0n;
      case 1:
        return BigInt(nextIndex(300));
      case 2:
        return (1n << nextBits()) - BigInt(nextIndex(3));
      case 3:
        return -(nextWord() >> nextBits());
      case 4:
        return (
          (((((nextEdgeLimb() << 64n) | nextEdgeLimb()) << 64n) | nextEdgeLimb()) << 64n) | nextEdgeLimb()
        );
      case 5:
        return previous + BigInt(nextIndex(3)) - 1n;
      case 6:
        return (nextWord() >> nextBits()) << nextBits();
      case 7:
        return nextWord();
      default:
        return nextWord() >> nextBits();
    }
  };
  return {
    next: () => {
      previous = make() & MASK;
      return previous;
    },
    nextIndex,
  };
}
