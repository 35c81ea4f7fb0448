import type { LogFilter } from '../../chain/requests.ts';
import { countValues, createLogTest } from '../../feed/criteria.ts';
import type { LogTest } from '../../feed/feed.ts';
import { Lru } from '../../util/lru.ts';
import { SCHEDULER, type SlotScheduler } from '../../util/slot-scheduler.ts';
import { logFilter } from '../log-filter.ts';

/** Parsed and indexed criteria of a log filter; immutable. */
export type FilterCriteria = {
  readonly filter: LogFilter;
  readonly matches: LogTest;
  /** Whether the criteria are stored in a separate record. */
  readonly isApart: boolean;
};

const CAPACITY_BYTES = 64 * 1024 * 1024;
/** Lifetime of a cache entry after parsing, ms. */
const CACHE_MS = 10 * 60_000;
/**
 * Estimated heap size, bytes: of an address or topic, and of a cache entry without its addresses and topics. A topic takes 88 bytes as text, 8 bytes
 * in an array and 40 bytes in a set; the sum is rounded up.
 */
const VALUE_BYTES = 150;
const OBJECT_BYTES = 1_000;

type Options = {
  readonly capacityBytes?: number;
  readonly now?: () => number;
  readonly slots?: Pick<SlotScheduler, 'run'>;
};

/**
 * Cache of parsed filter criteria by record name. If the cache has the criteria of a filter, a poll of the filter neither parses nor indexes them.
 */
export class FilterCriteriaCache {
  readonly #cached: Lru<string, FilterCriteria>;
  /** Parses of criteria that are in progress, by record name. */
  readonly #inFlight = new Map<string, Promise<FilterCriteria | undefined>>();
  readonly #slots: Pick<SlotScheduler, 'run'>;

  constructor({ capacityBytes = CAPACITY_BYTES, now, slots = SCHEDULER }: Options = {}) {
    this.#slots = slots;
    this.#cached = new Lru(capacityBytes, CACHE_MS, now, countBytes);
  }

  /** Approximate heap size of the cached criteria, bytes. */
  get bytes(): number {
    return this.#cached.weight;
  }

  find(name: string): FilterCriteria | undefined {
    return this.#cached.get(name);
  }

  /**
   * Returns cached criteria. If the cache has no criteria, parses `text` in scheduler slots of the request's owner.
   * @param name record name of the filter
   * @param text JSON in the form of `eth_newFilter`
   * @param isApart whether the criteria are stored in a separate record
   * @returns undefined for an invalid filter
   */
  async load(
    name: string,
    text: string,
    isApart: boolean,
    owner: string,
  ): Promise<FilterCriteria | undefined> {
    const known = this.#cached.get(name) ?? this.#inFlight.get(name);
    if (known !== undefined) return known;
    const parsing = this.#parse(name, text, isApart, owner).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, parsing);
    return parsing;
  }

  forget(name: string): void {
    this.#cached.delete(name);
  }

  async #parse(
    name: string,
    text: string,
    isApart: boolean,
    owner: string,
  ): Promise<FilterCriteria | undefined> {
    let criteria: FilterCriteria;
    try {
      criteria = await this.#slots.run(owner, parseCriteria(text, isApart));
    } catch {
      return undefined;
    }
    this.#cached.set(name, criteria);
    return criteria;
  }
}

/** Process-wide cache, shared by all networks. */
export const FILTER_CRITERIA: FilterCriteriaCache = new FilterCriteriaCache();

/** Parses the criteria of a log filter in slices. Each slice takes at most 1 ms for a record of maximum size. */
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
