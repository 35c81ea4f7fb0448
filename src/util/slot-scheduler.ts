import { performance } from 'node:perf_hooks';
import { FairLines } from './fair-lines.ts';

/**
 * Maximum time of scheduled steps per turn of the event loop, milliseconds. Work that is run immediately may take the same time in addition. A
 * request passes several turns, such as a turn for its bytes and a turn for its worker's answer. A request can therefore wait several times
 * `SLOT_MS`.
 */
export const SLOT_MS = 2;
/**
 * Time reserved for accepting connections after steps and immediate work, milliseconds. While connections arrive, accepting them gets half of the
 * time of the event loop.
 */
const ACCEPT_MS = 2 * SLOT_MS;

/** An owner counts as alone when no other owner has sent a request for this long, milliseconds. */
const ALONE_MS = 10_000;

/** Piece of expensive work, which ends by itself after at most about `SLOT_MS`. */
type Step = () => void;

/**
 * Scheduler of expensive work on the thread that reads requests: large bodies, batches, large answers. The work runs in steps, which together take
 * about `SLOT_MS` of a turn of the event loop. Owners share the time of steps fairly, regardless of the number and length of their steps. A small
 * request therefore waits for at most one step.
 */
export class SlotScheduler {
  readonly #lines = new FairLines<Step>();
  /** Owner of the last request, and time of the last request whose owner differed from the owner of the previous request. */
  #lastOwner: string | undefined;
  #otherAt = Number.NEGATIVE_INFINITY;
  /** Owner of the running step. */
  #stepOwner = '';
  /** Time that steps have used in this turn of the event loop, ms. */
  #stepsMs = 0;
  /** Time that immediate work has used since the last steps, ms. */
  #atOnceMs = 0;
  #isStepping = false;
  /** Whether a connection was accepted in this turn of the event loop. */
  #hasAccepted = false;
  /** End time of the last step. */
  #workedAt = Number.NEGATIVE_INFINITY;
  #isArmed = false;
  /** Start time of the running work. The time of the work is charged when the work ends. */
  #runningSince: number | undefined;
  /** Whether the work of the last step continues after a promise. */
  #goesOn = false;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Number of owners with waiting steps. */
  get waiting(): number {
    return this.#lines.owners;
  }

  /**
   * Whether the owner's work may run immediately in this turn. After immediate work, the caller has to call `spend`. An owner must not overtake its
   * own waiting steps, but need not wait for the steps of other owners.
   */
  hasTime(owner: string): boolean {
    if (this.#lines.has(owner) || this.#givesWay()) return false;
    const runningMs = this.#runningSince === undefined ? 0 : this.#now() - this.#runningSince;
    return (this.#isStepping ? this.#stepsMs : this.#atOnceMs) + runningMs < SLOT_MS;
  }

  /**
   * Records that a connection was accepted in this turn. libuv accepts one connection per turn of the event loop, and others may be queued. Steps therefore
   * wait until `ACCEPT_MS` after the last step.
   */
  noteConnection(): void {
    this.#hasAccepted = true;
    this.#arm();
  }

  /** Charges the time of immediate work, milliseconds. Has no effect inside work whose whole time the scheduler measures. */
  spend(ms: number): void {
    if (this.#isStepping) this.#stepsMs += ms;
    else if (this.#runningSince === undefined) this.#atOnceMs += ms;
    this.#arm();
  }

  /** Runs `step` later, in a scheduler slot of its owner. `step` must not throw. */
  enter(owner: string, step: Step): void {
    this.#lines.add(owner, step);
    this.#arm();
  }

  /**
   * Runs work to its end. The work pauses (`yield`) at least about once a millisecond. The result is synchronous if this turn of the event loop has
   * time for all of the work.
   * @throws errors of the work, synchronously or by rejection
   */
  run<T>(owner: string, work: Iterator<undefined, T>): T | Promise<T> {
    if (this.hasTime(owner)) {
      const step = this.#runNow(() => this.#runStep(work, this.#now()));
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

  /**
   * Runs work without pauses that takes at most about `SLOT_MS`. The work runs immediately if this turn has time, otherwise in a scheduler slot of
   * its owner. The synchronous time of the work is charged.
   * @throws errors of the work, synchronously or by rejection
   */
  take<T>(owner: string, work: () => T | Promise<T>): T | Promise<T> {
    if (this.hasTime(owner)) return this.#runNow(work);
    return new Promise((resolve, reject) => {
      this.enter(owner, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /**
   * Runs the work of a request. The work runs immediately if its owner is alone, because then no other owner waits. If other owners are active, the
   * work runs as in `take`.
   * @param now current time on the scheduler's clock, milliseconds
   * @throws errors of the work, synchronously or by rejection
   */
  serve<T>(owner: string, now: number, work: () => T | Promise<T>): T | Promise<T> {
    if (owner !== this.#lastOwner) {
      if (this.#lastOwner !== undefined) this.#otherAt = now;
      this.#lastOwner = owner;
    }
    return now - this.#otherAt > ALONE_MS ? work() : this.take(owner, work);
  }

  /**
   * Runs `next` with a value. If `value` is not a promise, `next` runs immediately. After a promise, `next` runs as in `take`, because other work may
   * have waited for the same promise.
   */
  follow<T, U>(owner: string, value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
    return value instanceof Promise
      ? value.then((found) => this.take(owner, () => next(found)))
      : next(value);
  }

  /**
   * Calls `resume` in a scheduler slot of the owner. `resume` settles a promise. Code that awaits the promise runs as part of the step, and is
   * charged with the step, until it waits again.
   */
  resumeLater(owner: string, resume: () => void): void {
    this.enter(owner, () => {
      this.#goesOn = true;
      resume();
    });
  }

  /** Resolves in a scheduler slot of the owner. The owner is charged for the code after the `await`, as in `resumeLater`. */
  rejoin(owner: string): Promise<void> {
    return new Promise((resolve) => this.resumeLater(owner, resolve));
  }

  /**
   * Resolves in a scheduler slot of the owner. In this slot, the caller runs work of about `ms` milliseconds that the scheduler cannot run itself.
   */
  pause(owner: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.enter(owner, () => {
        this.#stepsMs += ms;
        resolve();
      });
    });
  }

  /** Runs and charges work. Work that runs inside other work is charged as part of the outer work. */
  #runNow<T>(work: () => T): T {
    if (this.#runningSince !== undefined) return work();
    const startedAt = this.#now();
    this.#runningSince = startedAt;
    try {
      return work();
    } finally {
      this.#runningSince = undefined;
      this.spend(this.#now() - startedAt);
    }
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#takeSlot());
  }

  #takeSlot(): void {
    this.#isArmed = false;
    this.#isStepping = false;
    this.#runningSince = undefined;
    if (this.#atOnceMs > 0 || this.#stepsMs > 0) this.#workedAt = this.#now();
    this.#atOnceMs = 0;
    this.#stepsMs = 0;
    if (this.#givesWay()) this.#endTurn();
    else this.#runSteps();
  }

  #endTurn(): void {
    this.#hasAccepted = false;
    // The next turn resets the used times, so the scheduler is armed even if no steps wait.
    if (this.#lines.owners > 0 || this.#stepsMs > 0 || this.#atOnceMs > 0) this.#arm();
  }

  /** Whether accepting connections has priority over steps in this turn of the event loop. */
  #givesWay(): boolean {
    return this.#hasAccepted && this.#now() - this.#workedAt < ACCEPT_MS;
  }

  #runSteps(): void {
    while (this.#stepsMs < SLOT_MS) {
      const next = this.#lines.take();
      if (next === undefined) break;
      this.#stepOwner = next.owner;
      this.#isStepping = true;
      const startedAt = this.#now();
      this.#runningSince = startedAt;
      next.item();
      if (this.#goesOn) {
        this.#goesOn = false;
        // Ticks run when no microtask is left. By that time, code that awaited the promise has ended, or waits for something else.
        queueMicrotask(() => process.nextTick(this.#finishStep, startedAt));
        return;
      }
      this.#count(startedAt);
    }
    this.#endTurn();
  }

  readonly #finishStep = (startedAt: number): void => {
    this.#count(startedAt);
    this.#runSteps();
  };

  #count(startedAt: number): void {
    this.#runningSince = undefined;
    this.#isStepping = false;
    this.#workedAt = this.#now();
    const ms = this.#workedAt - startedAt;
    this.#stepsMs += ms;
    this.#lines.charge(this.#stepOwner, ms);
  }

  /** Continues the work until it is done, or `SLOT_MS` has been used. */
  #runStep<T>(work: Iterator<undefined, T>, startedAt: number): IteratorResult<undefined, T> {
    for (;;) {
      const step = work.next();
      if (step.done === true || this.#now() - startedAt >= SLOT_MS) return step;
    }
  }
}

/** Scheduler of this thread, which has one event loop. */
export const SCHEDULER: SlotScheduler = new SlotScheduler();
