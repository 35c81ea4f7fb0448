/** The environment says that a run of tests is the long one: `npm run test:long`. */
const IS_LONG: boolean = process.env['PORTCULLIS_LONG'] === '1';
const SHORT_PART = 8;
/** Where something is tried in each of very many places: of so many one is taken. */
export const STRIDE: number = IS_LONG ? 1 : SHORT_PART;
/** Fewer hardly get past what a generator gives first. */
const MIN_RUNS = 25;

/** How many random cases a property is tried with: all that it names in the long run of tests, an eighth of them in `npm test`. */
export function countRuns(long: number): number {
  return IS_LONG ? long : Math.max(Math.min(long, MIN_RUNS), Math.ceil(long / SHORT_PART));
}
