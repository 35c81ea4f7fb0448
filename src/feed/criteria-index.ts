import type { BlockLog } from '../chain/chain.ts';
import { createLogTest, nameCriteria } from './criteria.ts';
import type { LogCriteria, LogTest } from './feed.ts';

/** Number of positions at which a log is looked up: its address and up to four topics. */
const POSITIONS = 5;
const NO_LOGS: readonly BlockLog[] = [];
/** Number of log comparisons after which `evaluate` yields to the scheduler; this many comparisons take a fraction of a millisecond. */
const TESTS_A_SLICE = 4_096;
/** Number of index entries that `sweep` removes before it yields to the scheduler. */
const SWEPT_A_SLICE = 512;

/** Criteria that any number of listeners share. */
export type CriteriaGroup = {
  readonly name: string;
  readonly matches: LogTest;
  /** Number of listeners. A group without listeners does not match, and `sweep` will remove its index entries. */
  users: number;
  /** Index position and values of the group; undefined if the group is compared with every log. */
  readonly key: { readonly position: number; readonly values: readonly string[] } | undefined;
  /** Matching logs in the last evaluated block. */
  found: BlockLog[] | undefined;
};

/**
 * Criteria of many listeners, evaluated together. Equal criteria are evaluated once, and a log is compared only with criteria that name its address
 * or one of its topics, or that restrict neither. Each group is indexed at the position with the lowest sum: the number of its values there, plus the
 * number of other groups with the same values.
 */
export class CriteriaIndex {
  readonly #groups = new Map<string, CriteriaGroup>();
  /** Groups of criteria by position (0 is the address, 1 to 4 are topics), then by value. */
  readonly #byValue: readonly Map<string, Set<CriteriaGroup>>[] = Array.from(
    { length: POSITIONS },
    () => new Map(),
  );
  readonly #always = new Set<CriteriaGroup>();
  /** Groups without listeners whose index entries `sweep` has not removed yet. */
  #released: CriteriaGroup[] = [];
  readonly #testsASlice: number;
  /** Groups with matches in the last evaluated block. */
  #withLogs: CriteriaGroup[] = [];
  /** Logs of the current block that `evaluate` has already compared with all groups. */
  #logs: readonly BlockLog[] = NO_LOGS;
  /** Number of log comparisons since `evaluate` last yielded. */
  #tests = 0;

  /** @param testsASlice number of log comparisons after which `evaluate` yields */
  constructor(testsASlice: number = TESTS_A_SLICE) {
    this.#testsASlice = testsASlice;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Returns whether there are index entries for `sweep` to remove. */
  get isStale(): boolean {
    return this.#released.length > 0;
  }

  /** Adds a listener to the group with these criteria. `release` removes the listener. */
  use(criteria: LogCriteria): CriteriaGroup {
    const name = nameCriteria(criteria);
    const known = this.#groups.get(name);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    const key = this.#chooseKey(criteria);
    const group: CriteriaGroup = {
      name,
      matches: createLogTest(criteria),
      users: 1,
      key,
      found: undefined,
    };
    this.#groups.set(name, group);
    if (key === undefined) this.#always.add(group);
    else for (const value of key.values) this.#findBucket(key.position, value).add(group);
    // A group may be added while a block is being evaluated or delivered, so it is compared with the logs evaluated so far.
    for (const log of this.#logs) if (group.matches(log)) this.#note(group, log);
    return group;
  }

  /**
   * Removes a listener from its group. The removal takes constant time, whatever the number of addresses and topics, because a closing connection
   * removes many listeners at once.
   */
  release(group: CriteriaGroup): void {
    if (--group.users > 0) return;
    this.#groups.delete(group.name);
    if (group.key === undefined) this.#always.delete(group);
    else this.#released.push(group);
  }

  /**
   * Removes the index entries of groups without listeners. The generator yields after every `SWEPT_A_SLICE` entries. Further groups may be released
   * while it is paused.
   */
  *sweep(): Generator<undefined, void> {
    let left = SWEPT_A_SLICE;
    for (let group = this.#released.pop(); group !== undefined; group = this.#released.pop()) {
      const byValue = this.#byValue[group.key?.position ?? 0];
      for (const value of group.key?.values ?? []) {
        const bucket = byValue?.get(value);
        if (bucket?.delete(group) && bucket.size === 0) byValue?.delete(value);
        if (--left > 0) continue;
        left = SWEPT_A_SLICE;
        yield;
      }
    }
  }

  /**
   * Sets `found` of each group to its matches, which are valid until the next block. The generator yields between logs. Groups may be added or
   * released while it is paused.
   */
  *evaluate(logs: readonly BlockLog[]): Generator<undefined, void> {
    this.clear();
    const done: BlockLog[] = [];
    this.#logs = done;
    for (const log of logs) {
      this.#try(this.#always, log);
      this.#try(this.#byValue[0]?.get(log.address), log);
      for (let at = 0; at < log.topics.length; at++) {
        this.#try(this.#byValue[at + 1]?.get(log.topics[at] as string), log);
      }
      done.push(log);
      if (this.#tests < this.#testsASlice) continue;
      this.#tests = 0;
      yield;
    }
  }

  /** Clears all matches. */
  clear(): void {
    for (const group of this.#withLogs) group.found = undefined;
    this.#withLogs = [];
    this.#logs = NO_LOGS;
  }

  #try(groups: ReadonlySet<CriteriaGroup> | undefined, log: BlockLog): void {
    if (groups === undefined) return;
    this.#tests += groups.size;
    for (const group of groups) if (group.users > 0 && group.matches(log)) this.#note(group, log);
  }

  #note(group: CriteriaGroup, log: BlockLog): void {
    if (group.found === undefined) {
      group.found = [log];
      this.#withLogs.push(group);
    } else group.found.push(log);
  }

  #chooseKey({ addresses, topics }: LogCriteria): CriteriaGroup['key'] {
    let best: CriteriaGroup['key'];
    let fewest = Number.POSITIVE_INFINITY;
    for (const [position, alternatives] of [addresses, ...topics].entries()) {
      if (alternatives.length === 0) continue;
      const values = [...new Set(alternatives)];
      const others = values.reduce((sum, value) => sum + this.#countAt(position, value), 0);
      // In a tie, the later position is chosen, because addresses and event signatures are shared more often than indexed arguments.
      const cost = others + values.length;
      if (cost > fewest) continue;
      best = { position, values };
      fewest = cost;
    }
    return best;
  }

  #countAt(position: number, value: string): number {
    return this.#byValue[position]?.get(value)?.size ?? 0;
  }

  #findBucket(position: number, value: string): Set<CriteriaGroup> {
    const byValue = this.#byValue[position] as Map<string, Set<CriteriaGroup>>;
    let bucket = byValue.get(value);
    if (bucket === undefined) {
      bucket = new Set();
      byValue.set(value, bucket);
    }
    return bucket;
  }
}
