import { maxBigInt } from '../primitives/bigint.ts';
import { isAtLeast, type Revision } from './revision.ts';

const MINIMUM_DIFFICULTY = 131_072n;
const BOMB_PERIOD = 100_000n;

/** Blocks by which the difficulty bomb is set back: EIP-649, 1234, 2384, 3554, 4345, 5133. */
export type BombDelay = 0n | 3_000_000n | 5_000_000n | 9_000_000n | 9_700_000n | 10_700_000n | 11_400_000n;

export type DifficultyInput = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly parent: { readonly difficulty: bigint; readonly timestamp: bigint; readonly hasUncles: boolean };
  readonly bombDelay: BombDelay;
};

/** Difficulty of a proof-of-work block (yellow paper 4.3.4; EIP-2, EIP-100). */
export function computeDifficulty(input: DifficultyInput, revision: Revision): bigint {
  const { parent, timestamp } = input;
  const step = parent.difficulty / 2048n;
  const elapsed = timestamp - parent.timestamp;
  let factor: bigint;
  if (isAtLeast(revision, 'byzantium')) factor = maxBigInt((parent.hasUncles ? 2n : 1n) - elapsed / 9n, -99n);
  else if (isAtLeast(revision, 'homestead')) factor = maxBigInt(1n - elapsed / 10n, -99n);
  else factor = elapsed < 13n ? 1n : -1n;
  const base = maxBigInt(parent.difficulty + step * factor, MINIMUM_DIFFICULTY);
  // geth's delayed bomb counts from the parent: max(0, parent.number - (delay - 1)).
  const bombNumber = input.bombDelay === 0n ? input.number : maxBigInt(input.number - input.bombDelay, 0n);
  const period = bombNumber / BOMB_PERIOD;
  return period < 2n ? base : maxBigInt(base + 2n ** (period - 2n), MINIMUM_DIFFICULTY);
}
