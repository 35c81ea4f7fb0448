/** Long test run (`npm test -- --long`). */
const IS_LONG: boolean = process.env['PORTCULLIS_LONG'] === '1';
const SHORT_PART = 8;
/** Stride for exhaustive tests: the short run tries one of this many places. */
export const STRIDE: number = IS_LONG ? 1 : SHORT_PART;
/** Fewer cases hardly get past the values that a generator yields first. */
const MIN_RUNS = 25;

/** Number of random cases of a property: all of `long` in the long run, an eighth of them (at least MIN_RUNS) in `npm test`. */
export function countRuns(long: number): number {
  return IS_LONG ? long : Math.max(Math.min(long, MIN_RUNS), Math.ceil(long / SHORT_PART));
}
