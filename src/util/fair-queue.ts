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

type Entry = { readonly waiter: Waiter; readonly decide: (isTurn: boolean) => void };

/** How fast what is known about the pace fades. */
const PACE_HALF_LIFE_MS = 1_000;
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
    if (this.#isTooLate() || !this.#makeRoom(owner)) return false;
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
      const entry = { waiter, decide: resolve };
      if (entries === undefined) this.#owners.set(owner, [entry]);
      else entries.push(entry);
      this.#waiting++;
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

  #isTooLate(): boolean {
    if (this.#pace.weight < ENOUGH_SAMPLES) return false;
    return (this.#waiting + 1) * this.#pace.read(0) > this.#limits.waitMs;
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
