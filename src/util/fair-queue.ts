import { Ewma } from './ewma.ts';
import { GroupLine, type Waiter } from './group-line.ts';
import { type OwnerShare, SharedBudget } from './shared-budget.ts';

export type FairQueueLimits = {
  /** Maximum number of slots in use. */
  readonly running: number;
  /** Part of the slots that one owner may use. Default: all. */
  readonly ownerShare?: OwnerShare;
  /** Maximum number of waiting entries. */
  readonly waiting: number;
  /** Maximum time that an entry waits, milliseconds. An entry that would have to wait longer than `waitMs` is refused immediately. */
  readonly waitMs: number;
};

type Entry = {
  readonly waiter: Waiter;
  /** Time until which the entry may wait. */
  readonly until: number;
  readonly decide: (hasSlot: boolean) => void;
};

/** Half-life of the samples of the release interval, ms. */
const PACE_HALF_LIFE_MS = 1_000;
/** Maximum delay with which cancelled or expired entries are removed, ms. */
const SWEEP_MS = 200;
/** Minimum weight of the samples. With less weight, the measured release interval is not used. */
const ENOUGH_SAMPLES = 4;

/**
 * Concurrency slots that owners share. Owners alternate, regardless of how many entries wait for each. No owner uses more than its share of the
 * slots. When the queue is full, the owner with the most waiting entries loses one. An entry that would have to wait longer than `waitMs` is refused
 * immediately.
 *
 * An entry waits only while its owner has no room. Every released slot admits all entries whose owners have room. A new entry that runs immediately
 * therefore never overtakes a waiting entry that could run. Groups need several slots at once, and come after single entries.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #places: SharedBudget;
  /** Waiting entries by owner. The owners are in the order in which they are served. */
  readonly #owners = new Map<string, Entry[]>();
  /** Average interval between two released slots while entries wait, ms. */
  readonly #pace: Ewma;
  readonly #groups = new GroupLine();
  #waiting = 0;
  #endedAt: number | undefined;
  /** Timer for `#sweep`. The timer runs while entries or groups wait. */
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

  /** Whether `owner` may take this many slots now. Synchronous work does not need to take a slot. */
  hasRoom(owner: string, slots = 1): boolean {
    return this.#places.hasRoom(owner, slots);
  }

  /** Takes slots that `hasRoom` allowed; `leave` releases them. */
  take(owner: string, slots = 1): void {
    this.#places.take(owner, slots);
  }

  /**
   * Waits for a slot for an owner that has no room.
   * @param waiter if it is aborted, the slot goes to the next entry
   * @returns `false` when no slot will be free in time; otherwise a promise that resolves to whether a slot was taken. `leave` releases the slot.
   */
  wait(owner: string, waiter: Waiter): false | Promise<boolean> {
    return !this.#isTooLate(owner) && this.#makeRoom(owner) && this.#enqueue(owner, waiter);
  }

  /**
   * Waits until an owner has room for several slots. Waiting can succeed only if the owner itself has the missing slots, and can release them.
   * @returns `false` when waiting cannot succeed; otherwise a promise that resolves to whether the slots were taken. `leave` releases the slots.
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
   * Releases a slot while its owner waits for something that needs no slot. After the wait, the owner takes a slot again, even beyond its bound,
   * because the call only has to be answered.
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

  /** Returns the first owner in line that has room for one slot. */
  #findNext(): string | undefined {
    for (const owner of this.#owners.keys()) if (this.#places.hasRoom(owner, 1)) return owner;
    return undefined;
  }

  #takeEntry(owner: string): Entry {
    const entries = this.#owners.get(owner) as Entry[];
    // A served owner goes to the end of the line of owners.
    this.#owners.delete(owner);
    const entry = entries.shift() as Entry;
    if (entries.length > 0) this.#owners.set(owner, entries);
    this.#waiting--;
    return entry;
  }

  /**
   * Whether the next entry of this owner would have to wait longer than `waitMs`. One entry of each other owner is served before each entry of this
   * owner.
   */
  #isTooLate(owner: string): boolean {
    if (this.#pace.weight < ENOUGH_SAMPLES) return false;
    const own = (this.#owners.get(owner)?.length ?? 0) + 1;
    let before = 0;
    for (const [other, { length }] of this.#owners)
      before += other === owner ? length : Math.min(length, own);
    return (before + 1) * this.#pace.read(0) > this.#limits.waitMs;
  }

  /** Removes cancelled and expired entries. A timer calls this method, because running entries may never end. */
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

  /**
   * Makes room in a full queue: drops the last entry of the owner with the most entries. Returns false if no other owner has more entries than
   * `owner` would have with the new entry.
   */
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
   * Records the interval between two releases of slots. Waiting entries advance at this rate. The interval is measured only while entries wait. If
   * several slots are released at once, the interval is divided among them.
   */
  #measure(slots: number): void {
    const now = this.#now();
    if (this.#endedAt !== undefined) this.#pace.record((now - this.#endedAt) / slots, slots);
    this.#endedAt = now;
  }
}

/** Whether the entry is aborted, or has waited for the maximum time. */
function isOver({ waiter, until }: Entry, now: number): boolean {
  return waiter.aborted || now >= until;
}
