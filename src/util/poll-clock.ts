import { performance } from 'node:perf_hooks';

/** Milliseconds that the event loop has to have slept for it to be said that it slept. */
const LEAST_SLEEP_MS = 0.02;

/**
 * When what is read in a turn of the event loop had arrived. A loop that is busy reads late: what it reads then was there since some moment
 * of the turn before, and that it is read now says nothing about when it was sent. Where the loop has slept, it was woken by what has arrived.
 */
export class PollClock {
  /** When the turn before this one had read what there was to read, and how long the loop had slept by then. */
  #checkedAt = 0;
  #sleptMs = 0;
  /** Of what is read in this turn, once that is asked for. */
  #arrivedAt: number | undefined;
  #watched = 0;
  #isArmed = false;

  /** Something is waited for from now on. */
  watch(): void {
    this.#watched++;
    this.#arm();
  }

  /** It has come, or is not waited for any more. */
  unwatch(): void {
    this.#watched--;
  }

  /** When what was sent at `sentAt` and is being read had arrived, milliseconds on the clock of `performance.now()`. */
  arrivedAt(sentAt: number): number {
    this.#arrivedAt ??= this.#find();
    return Math.max(sentAt, this.#arrivedAt);
  }

  #find(): number {
    const hasSlept = performance.nodeTiming.idleTime - this.#sleptMs > LEAST_SLEEP_MS;
    return hasSlept ? performance.now() : this.#checkedAt;
  }

  /** Again in each turn, behind what is read; it keeps the loop neither alive nor awake. */
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

/** Of this thread: it has one event loop. */
export const POLLS: PollClock = new PollClock();
