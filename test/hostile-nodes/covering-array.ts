/**
 * Pairwise tests: rows of a product of factors such that every pair of values of two factors that any allowed row has is in at
 * least one of them. The algorithm is greedy, like AETG (Cohen, Dalal, Fredman, Patton 1997).
 */
import { Random } from '../geth/requests/random.ts';

/** Values of each member of a row. */
export type Factors<Row extends object> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** Whether a row with these members, the others open, may exist. It must be false for every extension of a row that it refuses. */
export type Constraint<Row extends object> = (row: Partial<Row>) => boolean;

/** Index of a value by factor; `OPEN` where none is chosen. */
type Choice = number[];
const OPEN = -1;

/** Lists all allowed rows. */
export function listProduct<Row extends object>(
  factors: Factors<Row>,
  isAllowed: Constraint<Row>,
): readonly Row[] {
  const names = Object.keys(factors) as (keyof Row)[];
  return names
    .reduce<readonly Partial<Row>[]>(
      (rows, name) =>
        rows
          .flatMap((row) => factors[name].map((value) => ({ ...row, [name]: value }) as Partial<Row>))
          .filter(isAllowed),
      [{}],
    )
    .map((row) => row as Row);
}

/** Draws rows that cover every allowed pair; equal seeds give equal rows. */
export function drawPairwise<Row extends object>(
  factors: Factors<Row>,
  isAllowed: Constraint<Row>,
  seed: number,
): readonly Row[] {
  return new Drawing(factors, isAllowed, new Random(seed, 0)).draw();
}

class Drawing<Row extends object> {
  readonly #names: readonly (keyof Row)[];
  readonly #factors: Factors<Row>;
  readonly #isAllowed: Constraint<Row>;
  readonly #random: Random;
  readonly #uncovered = new Set<string>();

  constructor(factors: Factors<Row>, isAllowed: Constraint<Row>, random: Random) {
    this.#names = Object.keys(factors) as (keyof Row)[];
    this.#factors = factors;
    this.#isAllowed = isAllowed;
    this.#random = random;
  }

  draw(): readonly Row[] {
    const pairs = this.#shuffle(this.#listPairs());
    for (const pair of pairs) this.#uncovered.add(nameOf(pair));
    const rows: Row[] = [];
    for (const pair of pairs) {
      if (!this.#uncovered.has(nameOf(pair))) continue;
      const row = this.#complete(this.#begin(pair));
      if (row === undefined) {
        // No allowed row has this pair.
        this.#uncovered.delete(nameOf(pair));
        continue;
      }
      for (const covered of this.#listPairsOf(row)) this.#uncovered.delete(nameOf(covered));
      rows.push(this.#read(row) as Row);
    }
    return rows;
  }

  #listPairs(): readonly Pair[] {
    const count = (factor: number): number => this.#valuesOf(factor).length;
    return this.#names.flatMap((_, first) =>
      this.#names.slice(first + 1).flatMap((_, offset) => {
        const second = first + 1 + offset;
        return Array.from({ length: count(first) * count(second) }, (_, index): Pair => {
          return [first, Math.floor(index / count(second)), second, index % count(second)];
        });
      }),
    );
  }

  #begin([first, a, second, b]: Pair): Choice {
    const choice = this.#names.map(() => OPEN);
    choice[first] = a;
    choice[second] = b;
    return choice;
  }

  /** Chooses open values, those that cover most pairs first. Undefined where no allowed row extends the choice. */
  #complete(choice: Choice): Choice | undefined {
    if (!this.#isAllowed(this.#read(choice))) return undefined;
    const open = this.#shuffle(choice.flatMap((value, factor) => (value === OPEN ? [factor] : [])));
    const [factor] = open;
    if (factor === undefined) return choice;
    const values = this.#shuffle(this.#valuesOf(factor).map((_, value) => value));
    const extensions = values.map((value) => {
      const next = choice.with(factor, value);
      return { next, gain: this.#countUncovered(next) };
    });
    for (const { next } of extensions.sort((a, b) => b.gain - a.gain)) {
      const row = this.#complete(next);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  #countUncovered(choice: Choice): number {
    return this.#listPairsOf(choice).filter((pair) => this.#uncovered.has(nameOf(pair))).length;
  }

  #listPairsOf(choice: Choice): readonly Pair[] {
    return choice.flatMap((a, first) =>
      choice
        .map((b, second): Pair => [first, a, second, b])
        .filter(([, , second, b]) => second > first && a !== OPEN && b !== OPEN),
    );
  }

  #read(choice: Choice): Partial<Row> {
    const members = choice.flatMap((value, factor) =>
      value === OPEN ? [] : [[this.#names[factor], this.#valuesOf(factor)[value]] as const],
    );
    return Object.fromEntries(members) as Partial<Row>;
  }

  #valuesOf(factor: number): readonly unknown[] {
    return this.#factors[this.#names[factor] as keyof Row];
  }

  #shuffle<T>(values: readonly T[]): T[] {
    const shuffled = [...values];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.#random.below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }
}

/** Two factors by index, each with the index of a value. */
type Pair = readonly [first: number, a: number, second: number, b: number];

function nameOf(pair: Pair): string {
  return pair.join();
}
