import type { LogFilter } from '../../chain/requests.ts';
import { countValues, createLogTest } from '../../feed/criteria.ts';
import type { LogTest } from '../../feed/feed.ts';
import { Lru } from '../../util/lru.ts';
import { TURNS, type TurnQueue } from '../../util/turn-queue.ts';
import { logFilter } from '../log-filter.ts';

/** Criteria of a filter for logs, as they are looked for. They never change. */
export type FilterCriteria = {
  readonly filter: LogFilter;
  readonly matches: LogTest;
  /** Whether they are in a record of their own. */
  readonly isApart: boolean;
};

const CAPACITY_BYTES = 64 * 1024 * 1024;
/** How long they are kept after they were parsed, milliseconds. */
const KEPT_MS = 10 * 60_000;
/** A topic as a text (88), in its array (8) and in a set (40), rounded up; and objects around them all. */
const VALUE_BYTES = 150;
const OBJECT_BYTES = 1_000;

type Options = {
  readonly capacityBytes?: number;
  readonly now?: () => number;
  readonly turns?: Pick<TurnQueue, 'run'>;
};

/** Parsed criteria of filters by the names of their records, so that a poll neither parses nor indexes them. */
export class FilterCriteriaCache {
  readonly #kept: Lru<string, FilterCriteria>;
  /** Criteria that are being parsed, by filter. */
  readonly #flights = new Map<string, Promise<FilterCriteria | undefined>>();
  readonly #turns: Pick<TurnQueue, 'run'>;

  constructor({ capacityBytes = CAPACITY_BYTES, now, turns = TURNS }: Options = {}) {
    this.#turns = turns;
    this.#kept = new Lru(capacityBytes, KEPT_MS, now, countBytes);
  }

  /** Bytes of memory that are kept, about. */
  get bytes(): number {
    return this.#kept.weight;
  }

  find(name: string): FilterCriteria | undefined {
    return this.#kept.get(name);
  }

  /**
   * Parses what is not kept, in turns of the owner.
   * @param text JSON, as `eth_newFilter` takes it
   * @returns undefined for what is no filter
   */
  async load(
    name: string,
    text: string,
    isApart: boolean,
    owner: string,
  ): Promise<FilterCriteria | undefined> {
    const known = this.#kept.get(name) ?? this.#flights.get(name);
    if (known !== undefined) return known;
    const parsing = this.#parse(name, text, isApart, owner).finally(() => this.#flights.delete(name));
    this.#flights.set(name, parsing);
    return parsing;
  }

  forget(name: string): void {
    this.#kept.delete(name);
  }

  async #parse(
    name: string,
    text: string,
    isApart: boolean,
    owner: string,
  ): Promise<FilterCriteria | undefined> {
    let criteria: FilterCriteria;
    try {
      criteria = await this.#turns.run(owner, parseCriteria(text, isApart));
    } catch {
      return undefined;
    }
    this.#kept.set(name, criteria);
    return criteria;
  }
}

/** Kept for all networks of this process. */
export const FILTER_CRITERIA: FilterCriteriaCache = new FilterCriteriaCache();

/** Each part takes a millisecond at most, for a record of the greatest size. */
function* parseCriteria(text: string, isApart: boolean): Generator<undefined, FilterCriteria> {
  const value: unknown = JSON.parse(text);
  yield;
  const filter = logFilter.parse(value);
  yield;
  return { filter, matches: createLogTest(filter), isApart };
}

function countBytes({ filter }: FilterCriteria): number {
  return OBJECT_BYTES + VALUE_BYTES * countValues(filter);
}
