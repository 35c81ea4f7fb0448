import { Ewma } from './ewma.ts';

export type FairQueueLimits = {
  /** How many may be in work at a time. */
  readonly running: number;
  /** How many may wait. */
  readonly waiting: number;
  /** Who would have to wait longer is turned away at once, milliseconds. */
  readonly waitMs: number;
};

/** Something that may end while it waits. */
type Waiter = { readonly aborted: boolean };

type Entry = {
  readonly waiter: Waiter;
  /** Until when it may wait. */
  readonly until: number;
  readonly decide: (isTurn: boolean) => void;
};

/** How fast what is known about the pace fades. */
const PACE_HALF_LIFE_MS = 1_000;
/** How late who has gone, or waited for too long, may be let go. */
const SWEEP_MS = 200;
/** Below this weight the pace says nothing. */
const ENOUGH_SAMPLES = 4;

/**
 * Turns at something of which only so much can be done at a time. Owners take turns, however many wait for each; who has
 * the most waiting gives way when there is no room. Whoever cannot be served in time is told so at once.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  /** Next owner first. */
  readonly #owners = new Map<string, Entry[]>();
  /** Milliseconds between two ends while others wait. */
  readonly #pace: Ewma;
  #running = 0;
  #waiting = 0;
  #endedAt: number | undefined;
  /** As long as somebody waits. */
  #sweeper: NodeJS.Timeout | undefined;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: FairQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#pace = new Ewma(PACE_HALF_LIFE_MS, now);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * A turn: `true` when it has come, which is to be ended by `leave`; `false` when it will not come. @param waiter when it is aborted,
   * its turn is passed on
   */
  enter(owner: string, waiter: Waiter): boolean | Promise<boolean> {
    if (this.#running < this.#limits.running && this.#waiting === 0) {
      this.#running++;
      return true;
    }
    if (this.#isTooLate(owner) || !this.#makeRoom(owner)) return false;
    return this.#wait(owner, waiter);
  }

  leave(): void {
    this.#running--;
    if (this.#waiting === 0) {
      this.#endedAt = undefined;
      return;
    }
    this.#measure();
    this.#admitNext();
  }

  #wait(owner: string, waiter: Waiter): Promise<boolean> {
    return new Promise((resolve) => {
      const entries = this.#owners.get(owner);
      const entry = { waiter, until: this.#now() + this.#limits.waitMs, decide: resolve };
      if (entries === undefined) this.#owners.set(owner, [entry]);
      else entries.push(entry);
      this.#waiting++;
      this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    });
  }

  #admitNext(): void {
    while (this.#running < this.#limits.running) {
      const entry = this.#takeNext();
      if (entry === undefined) return;
      if (entry.waiter.aborted) entry.decide(false);
      else {
        this.#running++;
        entry.decide(true);
      }
    }
  }

  #takeNext(): Entry | undefined {
    for (const [owner, entries] of this.#owners) {
      // To the end of the line of owners.
      this.#owners.delete(owner);
      const entry = entries.shift();
      if (entries.length > 0) this.#owners.set(owner, entries);
      this.#waiting--;
      return entry;
    }
    return undefined;
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

  /** Lets go who has gone, and who has waited for too long: what is in work may never end. */
  #sweep(): void {
    const now = this.#now();
    for (const [owner, entries] of this.#owners) {
      const kept = entries.filter(({ waiter, until }) => !waiter.aborted && now < until);
      if (kept.length === entries.length) continue;
      if (kept.length === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, kept);
      this.#waiting -= entries.length - kept.length;
      for (const entry of entries) if (!kept.includes(entry)) entry.decide(false);
    }
    if (this.#waiting > 0) return;
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

  /** The time between two ends tells how fast the line moves; only while there is one. */
  #measure(): void {
    const now = this.#now();
    if (this.#endedAt !== undefined) this.#pace.record(now - this.#endedAt);
    this.#endedAt = now;
  }
}
