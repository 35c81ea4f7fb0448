import { performance } from 'node:perf_hooks';

/** Time that expensive work may take of one turn of the event loop before all else has its turn, milliseconds. */
export const TURN_MS = 2;

/** A piece of expensive work. It ends of itself, after about `TURN_MS` at most. */
type Step = () => void;

/**
 * Expensive work on the thread that reads requests: large bodies, batches, large answers. It runs in steps, all of which together take
 * about `TURN_MS` of one turn of the event loop. Owners take turns (round robin), however many steps wait for each, so that a small
 * request waits for one step at most, and a step for one of each other owner.
 */
export class TurnQueue {
  /** Next owner first. */
  readonly #lines = new Map<string, Step[]>();
  /** Of this turn of the event loop. */
  #usedMs = 0;
  /** A connection was accepted in this turn. */
  #hasAccepted = false;
  /** When the last step ended. */
  #workedAt = Number.NEGATIVE_INFINITY;
  #isArmed = false;
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Owners that wait. */
  get waiting(): number {
    return this.#lines.size;
  }

  /** Whether a step may be run at once, in the turn that has begun: then `spend` is to be called behind it. */
  hasTime(): boolean {
    return this.#lines.size === 0 && this.#usedMs < TURN_MS && !this.#givesWay();
  }

  /**
   * Notes that a connection was accepted in this turn. libuv accepts one in each turn of the event loop, and others may wait behind it, so
   * steps wait, until `TURN_MS` after the last one.
   */
  noteConnection(): void {
    this.#hasAccepted = true;
    this.#arm();
  }

  /** Counts what was run at once, milliseconds. */
  spend(ms: number): void {
    this.#usedMs += ms;
    this.#arm();
  }

  /** Runs `step` in a turn of its owner, later. It must not throw. */
  enter(owner: string, step: Step): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [step]);
    else line.push(step);
    this.#arm();
  }

  /**
   * Runs work to its end, which pauses (`yield`) at least once a millisecond or so. Its result is there at once when there is time for it in
   * this turn.
   * @throws what the work throws, at once or by rejection
   */
  run<T>(owner: string, work: Iterator<undefined, T>): T | Promise<T> {
    if (this.hasTime()) {
      const startedAt = this.#now();
      const step = this.#runStep(work, startedAt);
      this.spend(this.#now() - startedAt);
      if (step.done === true) return step.value;
    }
    return new Promise((resolve, reject) => {
      const takeStep = (): void => {
        try {
          const step = this.#runStep(work, this.#now());
          if (step.done === true) resolve(step.value);
          else this.enter(owner, takeStep);
        } catch (error) {
          reject(error);
        }
      };
      this.enter(owner, takeStep);
    });
  }

  /** Resolves in a turn of the owner, for work that takes about `ms` behind it and cannot be run from here. */
  pause(owner: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.enter(owner, () => {
        this.#usedMs += ms;
        resolve();
      });
    });
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isArmed = false;
    if (this.#usedMs > 0) this.#workedAt = this.#now();
    this.#usedMs = 0;
    if (!this.#givesWay()) this.#runSteps();
    this.#hasAccepted = false;
    // Also to begin the next turn's account.
    if (this.#lines.size > 0 || this.#usedMs > 0) this.#arm();
  }

  /** Whether connections go before steps in this turn. */
  #givesWay(): boolean {
    return this.#hasAccepted && this.#now() - this.#workedAt < TURN_MS;
  }

  #runSteps(): void {
    let now = this.#now();
    for (let step = this.#takeNext(); step !== undefined; step = this.#takeNext()) {
      const startedAt = now;
      step();
      now = this.#now();
      this.#workedAt = now;
      this.#usedMs += now - startedAt;
      if (this.#usedMs >= TURN_MS) break;
    }
  }

  /** Goes on with the work until it is done, or the time of a turn is used up. */
  #runStep<T>(work: Iterator<undefined, T>, startedAt: number): IteratorResult<undefined, T> {
    for (;;) {
      const step = work.next();
      if (step.done === true || this.#now() - startedAt >= TURN_MS) return step;
    }
  }

  #takeNext(): Step | undefined {
    for (const [owner, line] of this.#lines) {
      // To the end of the line of owners.
      this.#lines.delete(owner);
      const step = line.shift();
      if (line.length > 0) this.#lines.set(owner, line);
      return step;
    }
    return undefined;
  }
}

/** Of this thread: it has one event loop. */
export const TURNS: TurnQueue = new TurnQueue();
