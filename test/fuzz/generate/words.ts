/** 256-bit constants, most of them near an edge case. */
import type { Random } from '../random.ts';

const MASK = 2n ** 256n - 1n;
const SMALL: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  7n,
  8n,
  31n,
  32n,
  33n,
  63n,
  64n,
  127n,
  128n,
  255n,
  256n,
  257n,
];
const LIMBS: readonly bigint[] = [
  0n,
  1n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 2n,
  2n ** 64n - 1n,
];

function randomBits(random: Random, bits: number): bigint {
  let value = 0n;
  for (let done = 0; done < bits; done += 32) value = (value << 32n) | BigInt(random.next());
  return BigInt.asUintN(bits, value);
}

/** A power of two, plus or minus one at most. */
function nearPower(random: Random): bigint {
  return ((1n << BigInt(random.below(257))) + BigInt(random.below(3) - 1)) & MASK;
}

/** Four limbs of 64 bits, each likely all zeros, all ones or off by one from these. */
function fromLimbs(random: Random): bigint {
  let value = 0n;
  for (let i = 0; i < 4; i++) {
    value = (value << 64n) | (random.oneIn(3) ? randomBits(random, 64) : random.pick(LIMBS));
  }
  return value;
}

/** A constant for arithmetic. */
export function randomWord(random: Random): bigint {
  switch (random.below(8)) {
    case 0:
    case 1:
      return random.pick(SMALL);
    case 2:
      return nearPower(random);
    case 3:
      return MASK - random.pick(SMALL);
    case 4:
      return fromLimbs(random);
    case 5:
      return randomBits(random, 8 * random.between(1, 32));
    case 6:
      return BigInt(random.below(300));
    default:
      return BigInt.asUintN(256, -randomBits(random, 8 * random.between(1, 31)));
  }
}

const SIGNED_EDGES: readonly bigint[] = [
  0n,
  1n,
  2n ** 255n - 1n,
  2n ** 255n,
  2n ** 255n + 1n,
  MASK - 1n,
  MASK,
];

/** Operands at which signed and modular arithmetic overflows. */
export function randomEdge(random: Random): bigint {
  return random.pick(SIGNED_EDGES);
}

const FAR: readonly bigint[] = [
  2n ** 31n - 1n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 32n,
  2n ** 64n - 1n,
  2n ** 64n,
  2n ** 255n,
  MASK - 31n,
  MASK,
];

/** An offset into memory or data: mostly near, sometimes some pages away, rarely out of reach. */
export function randomOffset(random: Random): bigint {
  const kind = random.below(400);
  if (kind === 0) return random.pick(FAR);
  if (kind < 5) return BigInt(random.below(70_000));
  return random.oneIn(2) ? BigInt(32 * random.below(6)) : BigInt(random.below(200));
}

/** A length to use with `randomOffset`. */
export function randomLength(random: Random): bigint {
  const kind = random.below(600);
  if (kind === 0) return random.pick(FAR);
  if (kind < 4) return BigInt(random.below(10_000));
  return random.pick([0n, 1n, 4n, 31n, 32n, 32n, 33n, 64n, 65n, 96n, BigInt(random.below(200))]);
}

/** Few slots, so that programs use the same ones. */
const SLOTS: readonly bigint[] = [0n, 1n, 2n, 3n, MASK];

export function randomSlot(random: Random): bigint {
  return random.oneIn(40) ? randomWord(random) : random.pick(SLOTS);
}

/** Few values, so that writes often restore the previous value. */
export function randomSlotValue(random: Random): bigint {
  return random.oneIn(6) ? randomWord(random) : random.pick([0n, 0n, 1n, 2n, MASK]);
}
