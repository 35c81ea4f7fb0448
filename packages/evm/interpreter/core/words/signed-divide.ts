/** SDIV and SMOD, computed from magnitudes. */
import { negateWord } from './add.ts';
import { div, mod } from './divide.ts';
import { copyWord } from './word.ts';

/** Buffer for the magnitudes: the divisor below the dividend, as on the stack. */
const MAGNITUDES: usize = memory.data(64, 16);

@inline
function isNegative(p: usize): bool {
  return load<i64>(p, 24) < 0;
}

function loadMagnitude(destination: usize, source: usize): void {
  if (isNegative(source)) negateWord(destination, source);
  else copyWord(destination, source);
}

/** SDIV: -2^255 / -1 is -2^255 again, because negating -2^255 does not change the word. */
export function sdiv(sp: usize): void {
  const below = sp - 32;
  if (!isNegative(sp) && !isNegative(below)) return div(sp);
  const isResultNegative = isNegative(sp) !== isNegative(below);
  loadMagnitude(MAGNITUDES, below);
  loadMagnitude(MAGNITUDES + 32, sp);
  div(MAGNITUDES + 32);
  if (isResultNegative) negateWord(below, MAGNITUDES);
  else copyWord(below, MAGNITUDES);
}

/** SMOD: the remainder has the sign of the dividend. */
export function smod(sp: usize): void {
  const below = sp - 32;
  if (!isNegative(sp) && !isNegative(below)) return mod(sp);
  loadMagnitude(MAGNITUDES, below);
  loadMagnitude(MAGNITUDES + 32, sp);
  mod(MAGNITUDES + 32);
  if (isNegative(sp)) negateWord(below, MAGNITUDES);
  else copyWord(below, MAGNITUDES);
}
