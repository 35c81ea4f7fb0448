import { maxBigInt } from '../../ethereum/primitives/bigint.ts';

const MINIMUM_DIFFICULTY = 131_072n;
const BOMB_PERIOD = 100_000n;

/** Returns the difficulty change in units of 1/2048 of the parent's difficulty, for a block `elapsed` seconds after the parent. */
export type DifficultyFactor = (elapsed: bigint, hasUncles: boolean) => bigint;

export const factorAtFrontier: DifficultyFactor = (elapsed) => (elapsed < 13n ? 1n : -1n);
/** Homestead's rule (EIP-2). */
export const factorAtHomestead: DifficultyFactor = (elapsed) => maxBigInt(1n - elapsed / 10n, -99n);
/** Byzantium's rule (EIP-100). */
export const factorAtByzantium: DifficultyFactor = (elapsed, hasUncles) =>
  maxBigInt((hasUncles ? 2n : 1n) - elapsed / 9n, -99n);

export type DifficultyInput = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly parent: { readonly difficulty: bigint; readonly timestamp: bigint; readonly hasUncles: boolean };
  /** Number of blocks by which the difficulty bomb is delayed. */
  readonly bombDelay: bigint;
  readonly factor: DifficultyFactor;
};

/** Computes the difficulty of a proof-of-work block (yellow paper 4.3.4). */
export function computeDifficulty(input: DifficultyInput): bigint {
  const { parent, timestamp } = input;
  const step = parent.difficulty / 2048n;
  const factor = input.factor(timestamp - parent.timestamp, parent.hasUncles);
  const base = maxBigInt(parent.difficulty + step * factor, MINIMUM_DIFFICULTY);
  // geth's delayed bomb counts from the parent: max(0, parent.number - (delay - 1)).
  const bombNumber = input.bombDelay === 0n ? input.number : maxBigInt(input.number - input.bombDelay, 0n);
  const period = bombNumber / BOMB_PERIOD;
  return period < 2n ? base : maxBigInt(base + 2n ** (period - 2n), MINIMUM_DIFFICULTY);
}
