import { Ewma } from './ewma.ts';
import { GroupLine, type Waiter } from './group-line.ts';
import { type OwnerShare, SharedBudget } from './shared-budget.ts';

export type FairQueueLimits = {
  /** How many may be in work at a time. */
  readonly running: number;
  /** Of those in work, the part that one owner may hold; by default all. */
  readonly ownerShare?: OwnerShare;
  /** How many may wait. */
  readonly waiting: number;
  /** An entry that would have to wait longer is refused at once, milliseconds. */
  readonly waitMs: number;
};

type Entry = {
  readonly waiter: Waiter;
  /** Until when it may wait. */
  readonly until: number;
  readonly decide: (isTurn: boolean) => void;
};

/** How fast what is known about the pace fades. */
const PACE_HALF_LIFE_MS = 1_000;
/** How late entries that were cancelled, or waited for too long, may be removed. */
const SWEEP_MS = 200;
/** Below this weight the pace says nothing. */
const ENOUGH_SAMPLES = 4;

/**
 * Turns at something of which only so much can be done at a time. Owners take turns, however many entries wait for each, and none
 * holds more than its share of what is in work. When there is no room to wait, the owner with most entries waiting loses one. An entry
 * that cannot be served in time is refused at once.
 *
 * An entry waits only while its owner has no room: every end lets in all that have, so a new entry that has room passes none that could
 * go on. Groups that want several turns at the same time come after those that want one.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #places: SharedBudget;
  /** Next owner first. */
  readonly #owners = new Map<string, Entry[]>();
  /** Milliseconds between two ends while others wait. */
  readonly #pace: Ewma;
  readonly #groups = new GroupLine();
  #waiting = 0;
  #endedAt: number | undefined;
  /** Runs while entries wait. */
  #sweeper: NodeJS.Timeout | undefined;

  /** `now` is a monotonic clock in milliseconds. */
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

  /** Whether `owner` has so many turns now. What is done without waiting for anything needs no `take`. */
  hasRoom(owner: string, turns = 1): boolean {
    return this.#places.hasRoom(owner, turns);
  }

  /** Begins turns, which `hasRoom` allowed and `leave` ends. */
  take(owner: string, turns = 1): void {
    this.#places.take(owner, turns);
  }

  /**
   * Waits for a turn of an owner that has no room.
   * @param waiter when it is aborted, its turn is passed on
   * @returns `false` when it will not come; else a promise of whether it has come, which `leave` ends
   */
  wait(owner: string, waiter: Waiter): false | Promise<boolean> {
    return !this.#isTooLate(owner) && this.#makeRoom(owner) && this.#enqueue(owner, waiter);
  }

  /**
   * Waits until an owner has room for several turns, where that only takes turns of its own to end.
   * @returns `false` when it is not to be waited for; else a promise of whether there is: then it holds them, until `leave`
   */
  waitForGroup(owner: string, turns: number, waitMs: number, waiter: Waiter): false | Promise<boolean> {
    if (!this.#places.couldHave(owner, turns)) return false;
    return new Promise((resolve) => {
      this.#groups.add(owner, { turns, waiter, until: this.#now() + waitMs, decide: resolve });
      this.#beginSweeping();
    });
  }

  /** Ends turns. */
  leave(owner: string, turns = 1): void {
    this.#places.giveBack(owner, turns);
    if (this.#waiting === 0) this.#endedAt = undefined;
    else {
      this.#measure(turns);
      this.#admitNext();
    }
    if (!this.#groups.isEmpty) this.#admitGroups();
  }

  /**
   * Gives a turn back while its holder waits for what needs none. Afterwards it has a turn again, beyond the bound where there is no
   * room: its answer is all that is left to do.
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
        this.#places.take(owner, group.turns);
        group.decide(true);
      }
    }
  }

  readonly #hasRoom = (owner: string, turns: number): boolean => this.#places.hasRoom(owner, turns);

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

  /** The first owner in line that has room. */
  #findNext(): string | undefined {
    for (const owner of this.#owners.keys()) if (this.#places.hasRoom(owner, 1)) return owner;
    return undefined;
  }

  #takeEntry(owner: string): Entry {
    const entries = this.#owners.get(owner) as Entry[];
    // To the end of the line of owners.
    this.#owners.delete(owner);
    const entry = entries.shift() as Entry;
    if (entries.length > 0) this.#owners.set(owner, entries);
    this.#waiting--;
    return entry;
  }

  /** Whether the turn of this owner's next would come too late: one of each other owner goes before each of its own. */
  #isTooLate(owner: string): boolean {
    if (this.#pace.weight < ENOUGH_SAMPLES) return false;
    const own = (this.#owners.get(owner)?.length ?? 0) + 1;
    let before = 0;
    for (const [other, { length }] of this.#owners)
      before += other === owner ? length : Math.min(length, own);
    return (before + 1) * this.#pace.read(0) > this.#limits.waitMs;
  }

  /** Removes entries that were cancelled or waited for too long: what is in work may never end. */
  #sweep(): void {
    const now = this.#now();
    for (const [owner, entries] of this.#owners) {
      const gone = entries.filter((entry) => isOver(entry, now));
      if (gone.length === 0) continue;
      const kept = entries.filter((entry) => !isOver(entry, now));
      if (kept.length === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, kept);
      this.#waiting -= gone.length;
      for (const { decide } of gone) decide(false);
    }
    this.#groups.sweep(now);
    if (this.#waiting > 0 || !this.#groups.isEmpty) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /** The last of the longest line goes, unless this owner's would be as long. */
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

  /** The time between two ends is the pace of the line; only while there is one. Turns that end together have that time in common. */
  #measure(turns: number): void {
    const now = this.#now();
    if (this.#endedAt !== undefined) this.#pace.record((now - this.#endedAt) / turns, turns);
    this.#endedAt = now;
  }
}

/** Whether it has gone, or has waited for too long. */
function isOver({ waiter, until }: Entry, now: number): boolean {
  return waiter.aborted || now >= until;
}
