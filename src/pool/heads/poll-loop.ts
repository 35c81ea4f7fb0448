import type { Clock } from '../../util/clock.ts';
import { UpstreamFault } from '../fault.ts';

/** Maximum accepted retry delay that an upstream requests, ms. */
const MAX_RETRY_AFTER_MS = 60_000;

export type PollLoopOptions = {
  poll(): Promise<void>;
  /** Returns the time from the end of one poll to the start of the next, ms; called after each poll. */
  interval(): number;
  /** Maximum pause after failures, ms. */
  readonly maxBackoff: number;
  readonly clock: Clock;
};

/** Polls repeatedly, one poll at a time, with backoff while polls fail. */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #isRunning = false;
  #underWay: Promise<void> | undefined;
  #cancelNext: () => void = () => {};
  #failures = 0;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** Number of failed polls since the last successful poll. */
  get failures(): number {
    return this.#failures;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.pollNow();
  }

  /** Stops polling; a running poll ends by itself. */
  stop(): void {
    this.#isRunning = false;
    this.#cancelNext();
  }

  /** Starts a poll, or waits for the running poll. Never rejects. */
  pollNow(): Promise<void> {
    this.#underWay ??= this.#poll();
    return this.#underWay;
  }

  /** Runs a new poll; if a poll is running, the new poll begins after it has ended. Never rejects. */
  async pollAnew(): Promise<void> {
    await this.#underWay;
    await this.pollNow();
  }

  async #poll(): Promise<void> {
    this.#cancelNext();
    let retryAfter = 0;
    try {
      await this.#options.poll();
      this.#failures = 0;
    } catch (fault) {
      this.#failures++;
      if (fault instanceof UpstreamFault) retryAfter = fault.retryAfterMs ?? 0;
    }
    this.#underWay = undefined;
    if (!this.#isRunning) return;
    const pause = Math.max(this.#pause(), Math.min(retryAfter, MAX_RETRY_AFTER_MS));
    this.#cancelNext = this.#options.clock.schedule(() => void this.pollNow(), pause);
  }

  /**
   * Returns the pause before the next poll, ms. The pause is not longer after the first failure, which may be accidental; it doubles from the second
   * consecutive failure on.
   */
  #pause(): number {
    const interval = this.#options.interval();
    if (this.#failures <= 1) return interval;
    const doublings = Math.min(this.#failures - 1, 16);
    return Math.max(interval, Math.min(interval * 2 ** doublings, this.#options.maxBackoff));
  }
}
