import { Ewma } from './ewma.ts';
import { GroupLine, type Waiter } from './group-line.ts';
import { type OwnerShare, SharedBudget } from './shared-budget.ts';

export type FairQueueLimits = {
  /** Maximum entries in work. */
  readonly running: number;
  /** Part of the entries in work that one owner may use; all by default. */
  readonly ownerShare?: OwnerShare;
  /** Maximum waiting entries. */
  readonly waiting: number;
  /** Maximum wait, milliseconds; an entry that would wait longer is refused immediately. */
  readonly waitMs: number;
};

type Entry = {
  readonly waiter: Waiter;
  /** Time until which it may wait. */
  readonly until: number;
  readonly decide: (hasSlot: boolean) => void;
};

/** Half-life of rate samples, ms. */
const PACE_HALF_LIFE_MS = 1_000;
/** Maximum delay of removing cancelled or expired entries, ms. */
const SWEEP_MS = 200;
/** Minimum weight at which the measured rate is used. */
const ENOUGH_SAMPLES = 4;

/**
 * Concurrency slots shared by owners: owners alternate, regardless of how many entries wait for each, and none uses
 * more than its share of the slots. When the queue is full, the owner with the most waiting entries loses one. An
 * entry that cannot be served in time is refused immediately.
 * An entry waits only while its owner has no room: every released slot admits all entries that have room, so a new
 * entry with room never overtakes one that could run. Groups, which need several slots at once, come after single
 * entries.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #places: SharedBudget;
  /** Waiting entries by owner, next owner first. */
  readonly #owners = new Map<string, Entry[]>();
  /** Average milliseconds between two releases while others wait. */
  readonly #pace: Ewma;
  readonly #groups = new GroupLine();
  #waiting = 0;
  #endedAt: number | undefined;
  /** Runs while entries or groups wait. */
  #sweeper: NodeJS.Timeout | undefined;

  /** @param now a monotonic clock in milliseconds */
  constructor(limits: FairQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#places = new SharedBudget(limits.running, limits.ownerShare ?? 1);
    this.#pace = new Ewma(PACE_HALF_LIFE_MS, now);
  }

  get running(): number {
    return this.#places.used;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether `owner` may take this many slots now. Synchronous work needs no `take`. */
  hasRoom(owner: string, slots = 1): boolean {
    return this.#places.hasRoom(owner, slots);
  }

  /** Takes slots that `hasRoom` allowed; `leave` releases them. */
  take(owner: string, slots = 1): void {
    this.#places.take(owner, slots);
  }

  /**
   * Waits for a slot of an owner that has no room.
   * @param waiter when it is aborted, its slot is passed on
   * @returns `false` when no slot will be free in time; otherwise a promise of whether a slot was taken, which
   * `leave` releases
   */
  wait(owner: string, waiter: Waiter): false | Promise<boolean> {
    return !this.#isTooLate(owner) && this.#makeRoom(owner) && this.#enqueue(owner, waiter);
  }

  /**
   * Waits until an owner has room for several slots, if only slots of its own must be released for that.
   * @returns `false` when waiting cannot succeed; otherwise a promise of whether the slots were taken, which
   * `leave` releases
   */
  waitForGroup(owner: string, slots: number, waitMs: number, waiter: Waiter): false | Promise<boolean> {
    if (!this.#places.couldHave(owner, slots)) return false;
    return new Promise((resolve) => {
      this.#groups.add(owner, { slots, waiter, until: this.#now() + waitMs, decide: resolve });
      this.#beginSweeping();
    });
  }

  /** Releases slots. */
  leave(owner: string, slots = 1): void {
    this.#places.giveBack(owner, slots);
    if (this.#waiting === 0) this.#endedAt = undefined;
    else {
      this.#measure(slots);
      this.#admitNext();
    }
    if (!this.#groups.isEmpty) this.#admitGroups();
  }

  /**
   * Releases a slot while its holder waits for something that needs none. Afterwards it takes a slot again, beyond
   * the bound if there is no room: only its answer remains to be done.
   */
  async lend<T>(owner: string, wait: () => Promise<T>): Promise<T> {
    this.leave(owner);
    try {
      return await wait();
    } finally {
      this.take(owner);
    }
  }

  #enqueue(owner: string, waiter: Waiter): Promise<boolean> {
    return new Promise((resolve) => {
      const entries = this.#owners.get(owner);
      const entry = { waiter, until: this.#now() + this.#limits.waitMs, decide: resolve };
      if (entries === undefined) this.#owners.set(owner, [entry]);
      else entries.push(entry);
      this.#waiting++;
      this.#beginSweeping();
    });
  }

  #beginSweeping(): void {
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  #admitGroups(): void {
    for (;;) {
      const next = this.#groups.takeNext(this.#hasRoom);
      if (next === undefined) return;
      const { owner, group } = next;
      if (group.waiter.aborted) group.decide(false);
      else {
        this.#places.take(owner, group.slots);
        group.decide(true);
      }
    }
  }

  readonly #hasRoom = (owner: string, slots: number): boolean => this.#places.hasRoom(owner, slots);

  #admitNext(): void {
    while (this.#places.used < this.#limits.running) {
      const owner = this.#findNext();
      if (owner === undefined) return;
      const { waiter, decide } = this.#takeEntry(owner);
      if (waiter.aborted) decide(false);
      else {
        this.#places.take(owner, 1);
        decide(true);
      }
    }
  }

  /** Returns the first owner in line that has room. */
  #findNext(): string | undefined {
    for (const owner of this.#owners.keys()) if (this.#places.hasRoom(owner, 1)) return owner;
    return undefined;
  }

  #takeEntry(owner: string): Entry {
    const entries = this.#owners.get(owner) as Entry[];
    // Moves the owner to the end of the line.
    this.#owners.delete(owner);
    const entry = entries.shift() as Entry;
    if (entries.length > 0) this.#owners.set(owner, entries);
    this.#waiting--;
    return entry;
  }

  /**
   * Whether the next entry of this owner would come too late: one entry of each other owner precedes each of its
   * own.
   */
  #isTooLate(owner: string): boolean {
    if (this.#pace.weight < ENOUGH_SAMPLES) return false;
    const own = (this.#owners.get(owner)?.length ?? 0) + 1;
    let before = 0;
    for (const [other, { length }] of this.#owners)
      before += other === owner ? length : Math.min(length, own);
    return (before + 1) * this.#pace.read(0) > this.#limits.waitMs;
  }

  /** Removes cancelled and expired entries: entries in work may never end. */
  #sweep(): void {
    const now = this.#now();
    for (const [owner, entries] of this.#owners) {
      const gone = entries.filter((entry) => isOver(entry, now));
      if (gone.length === 0) continue;
      const remaining = entries.filter((entry) => !isOver(entry, now));
      if (remaining.length === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, remaining);
      this.#waiting -= gone.length;
      for (const { decide } of gone) decide(false);
    }
    this.#groups.sweep(now);
    if (this.#waiting > 0 || !this.#groups.isEmpty) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /** Drops the last entry of the longest line, unless this owner's line would be as long. */
  #makeRoom(owner: string): boolean {
    if (this.#waiting < this.#limits.waiting) return true;
    const own = this.#owners.get(owner)?.length ?? 0;
    let longest: Entry[] | undefined;
    for (const entries of this.#owners.values()) {
      if (entries.length > (longest?.length ?? own + 1)) longest = entries;
    }
    const dropped = longest?.pop();
    if (dropped === undefined) return false;
    this.#waiting--;
    dropped.decide(false);
    return true;
  }

  /**
   * Records the time between two releases, which is the rate of the line; only while entries wait. Slots released
   * together share that time.
   */
  #measure(slots: number): void {
    const now = this.#now();
    if (this.#endedAt !== undefined) this.#pace.record((now - this.#endedAt) / slots, slots);
    this.#endedAt = now;
  }
}

/** Whether the entry is aborted or has waited too long. */
function isOver({ waiter, until }: Entry, now: number): boolean {
  return waiter.aborted || now >= until;
}
