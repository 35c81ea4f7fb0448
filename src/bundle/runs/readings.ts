import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { BundleError, type Reading } from '../format.ts';

/** Request to a node for a value without evidence: kind and parameters, as JSON values. */
export type ReadingRequest = Pick<Reading, 'source' | 'question'>;
export type ReadingOutcome = Reading['outcome'];

/** Values without evidence that a method reads. */
export interface Readings {
  has(source: Reading['source']): boolean;
  read(question: ReadingRequest): PromiseOrValue<ReadingOutcome>;
}

function keyOf({ source, question }: ReadingRequest): string {
  return JSON.stringify([source, question]);
}

/** Readings in a bundle. A bundle with an unused reading is invalid. */
export class BundledReadings implements Readings {
  readonly #outcomes = new Map<string, ReadingOutcome>();
  readonly #sources = new Set<string>();
  readonly #unused: Set<string>;

  /** @throws BundleError if the readings are not unique and in ascending order */
  constructor(readings: readonly Reading[]) {
    let last = '';
    for (const reading of readings) {
      const key = keyOf(reading);
      if (key <= last) throw new BundleError('the readings are not in ascending order');
      this.#outcomes.set(key, reading.outcome);
      this.#sources.add(reading.source);
      last = key;
    }
    this.#unused = new Set(this.#outcomes.keys());
  }

  has(source: Reading['source']): boolean {
    return this.#sources.has(source);
  }

  read(question: ReadingRequest): ReadingOutcome {
    const key = keyOf(question);
    const outcome = this.#outcomes.get(key);
    if (outcome === undefined) throw new BundleError(`the bundle lacks the reading ${key}`);
    this.#unused.delete(key);
    return outcome;
  }

  /** @throws BundleError if a reading was not used */
  refuseUnused(): void {
    const [key] = this.#unused;
    if (key !== undefined) throw new BundleError(`the answer does not need the reading ${key}`);
  }
}

/** Sends each request once, and caches its outcome. */
export class FetchedReadings implements Readings {
  readonly #sources: ReadonlySet<Reading['source']>;
  readonly #ask: (question: ReadingRequest) => Promise<ReadingOutcome>;
  readonly #asked = new Map<
    string,
    { readonly question: ReadingRequest; readonly outcome: Promise<ReadingOutcome> }
  >();
  #used = new Set<string>();

  constructor(
    sources: readonly Reading['source'][],
    ask: (question: ReadingRequest) => Promise<ReadingOutcome>,
  ) {
    this.#sources = new Set(sources);
    this.#ask = ask;
  }

  has(source: Reading['source']): boolean {
    return this.#sources.has(source);
  }

  read(question: ReadingRequest): Promise<ReadingOutcome> {
    const key = keyOf(question);
    this.#used.add(key);
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = { question, outcome: this.#ask(question) };
      this.#asked.set(key, asked);
    }
    return asked.outcome;
  }

  forgetUse(): void {
    this.#used = new Set();
  }

  /** Returns the used readings, in the order in which a bundle lists them. */
  async list(): Promise<Reading[]> {
    const rows = [...this.#asked].filter(([key]) => this.#used.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
    return Promise.all(
      rows.map(async ([, { question, outcome }]) => ({ ...question, outcome: await outcome })),
    );
  }
}
