/**
 * Returns the name that was probably meant: the one with the fewest typing errors. The name must have few errors for its length, or be a prefix or a
 * continuation of `name`.
 */
export function findNearName(name: string, names: Iterable<string>): string | undefined {
  const provided = name.toLowerCase();
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const errors = countErrors(provided, candidate.toLowerCase());
    if (errors >= fewest) continue;
    [best, fewest] = [candidate, errors];
  }
  return best;
}

/** Returns `, did you mean NAME?`, or an empty text where no name is near. */
export function suggestName(name: string, names: Iterable<string>): string {
  const near = findNearName(name, names);
  return near === undefined ? '' : `, did you mean ${near}?`;
}

/** Maximum names listed in an error. */
const MAX_LISTED = 20;

/** Returns the result of `suggestName`. Where no name is near, returns the list of existing names: `; there are: A, B`. */
export function pointToNames(name: string, names: Iterable<string>): string {
  const all = [...names];
  const suggestion = suggestName(name, all);
  if (suggestion !== '') return suggestion;
  if (all.length === 0) return '; there are none';
  const more = all.length > MAX_LISTED ? `, and ${all.length - MAX_LISTED} more` : '';
  return `; there are: ${all.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/**
 * Returns the result of `pointToNames` for a long list: the existing names are in alphabetical order, after the one with the fewest typing errors.
 */
export function pointToSortedNames(name: string, names: Iterable<string>): string {
  const sorted = [...names].sort();
  const errors = sorted.map((candidate) => countTypingErrors(name.toLowerCase(), candidate.toLowerCase()));
  const nearest = sorted.splice(errors.indexOf(Math.min(...errors)), 1);
  return pointToNames(name, [...nearest, ...sorted]);
}

/** Counts typing errors between a provided name and a candidate. The result is infinite for a candidate that is not near. */
function countErrors(provided: string, candidate: string): number {
  const shorter = Math.min(provided.length, candidate.length);
  const errors = countTypingErrors(provided, candidate);
  if (
    errors < candidate.length &&
    errors <= Math.max(1, Math.floor(Math.min(candidate.length, MAX_LENGTH) / 4))
  )
    return errors;
  const goesOn = shorter >= MIN_PREFIX && (provided.startsWith(candidate) || candidate.startsWith(provided));
  return goesOn ? errors : Number.POSITIVE_INFINITY;
}

const MIN_PREFIX = 3;
/**
 * Maximum number of characters of a name that are compared. Only the first characters of longer names are compared, because the cost is quadratic.
 */
const MAX_LENGTH = 64;

/**
 * Returns the number of typing errors: insertions, deletions and replacements of characters, and swaps of adjacent characters. The result is
 * Damerau's distance with each position edited at most once.
 */
function countTypingErrors(a: string, b: string): number {
  const [from, to] = [a.slice(0, MAX_LENGTH), b.slice(0, MAX_LENGTH)];
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      let cost = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (isSame ? 0 : 1));
      if (from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        cost = Math.min(cost, at(before, j - 2) + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return at(row, to.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
