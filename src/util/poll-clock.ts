import { performance } from 'node:perf_hooks';

/** Minimum idle time of the event loop that counts as sleep, ms. */
const LEAST_SLEEP_MS = 0.02;

/**
 * Determines when the data that is read in this turn of the event loop arrived. If the loop is busy, the data may have been available since some
 * moment of the previous turn, and is read later than it arrived. If the loop slept, the arrival woke it.
 */
export class PollClock {
  /** Time at which the previous turn had read all available data, and total idle time of the event loop up to that time. Both values are in ms. */
  #checkedAt = 0;
  #sleptMs = 0;
  /** Arrival time of the data that is read in this turn of the event loop, ms. The time is computed when it is first needed. */
  #arrivedAt: number | undefined;
  #watched = 0;
  #isArmed = false;

  /** Starts waiting for data. */
  watch(): void {
    this.#watched++;
    this.#arm();
  }

  /** Ends waiting, because the data has arrived or is no longer needed. */
  unwatch(): void {
    this.#watched--;
  }

  /** Returns the arrival time of data that was requested at `sentAt` and is being read now, milliseconds on the clock of `performance.now()`. */
  arrivedAt(sentAt: number): number {
    this.#arrivedAt ??= this.#find();
    return Math.max(sentAt, this.#arrivedAt);
  }

  #find(): number {
    const hasSlept = performance.nodeTiming.idleTime - this.#sleptMs > LEAST_SLEEP_MS;
    return hasSlept ? performance.now() : this.#checkedAt;
  }

  /**
   * Arms a check that runs after the reads of this turn of the event loop. While data is awaited, the check arms itself again. The check keeps the
   * event loop neither alive nor awake.
   */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#arrivedAt = undefined;
    this.#checkedAt = performance.now();
    this.#sleptMs = performance.nodeTiming.idleTime;
    setImmediate(this.#check).unref();
  }

  readonly #check = (): void => {
    this.#isArmed = false;
    if (this.#watched > 0) this.#arm();
  };
}

/** The clock of this thread, which has one event loop. */
export const POLLS: PollClock = new PollClock();
