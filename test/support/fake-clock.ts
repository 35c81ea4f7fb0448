import type { Clock } from '../../src/util/clock.ts';

type Timer = { readonly at: number; readonly task: () => void };

/** Clock that advances only on request. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  schedule(task: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances by `ms`: fires due timers in order, and awaits what they start without further timers. */
  async advance(ms: number): Promise<void> {
    await complete();
    const end = this.#now + ms;
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#fire(next);
      await complete();
    }
    this.#now = end;
  }

  /** Advances by `ms` without awaiting: for code that starts nothing asynchronous. */
  advanceNow(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) this.#fire(next);
    this.#now = end;
  }

  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#now = timer.at;
    timer.task();
  }
}

/** Lets every promise settle that can settle without a timer. */
export async function complete(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
