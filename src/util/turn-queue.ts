import { performance } from 'node:perf_hooks';
import { FairLines } from './fair-lines.ts';

/**
 * Time that steps may take of one turn of the event loop before all else has its turn, and as much for what is run at once, milliseconds.
 * A request passes several turns on its way (its bytes, its worker's answer), so that what one turn takes is what it waits, several times.
 */
export const TURN_MS = 2;
/** Connections have as long while they come, after steps and what was run at once: half of the time, milliseconds. */
const ACCEPT_MS = 2 * TURN_MS;

/** An owner counts as alone when no other one has sent a request for so long, milliseconds. */
const ALONE_MS = 10_000;

/** A piece of expensive work. It ends of itself, after about `TURN_MS` at most. */
type Step = () => void;

/**
 * Expensive work on the thread that reads requests: large bodies, batches, large answers. It runs in steps, all of which together take
 * about `TURN_MS` of one turn of the event loop. Owners share that time, however many steps wait for each and however long they are, so that a
 * small request waits for one step at most.
 */
export class TurnQueue {
  readonly #lines = new FairLines<Step>();
  /** Owner of the last request, and the time when a request had another owner than the one before it. */
  #lastOwner: string | undefined;
  #otherAt = Number.NEGATIVE_INFINITY;
  /** Owner of the step that runs. */
  #stepOwner = '';
  /** Used by steps in this turn of the event loop. */
  #stepsMs = 0;
  /** Used by what was run at once since the last steps. */
  #atOnceMs = 0;
  #isStepping = false;
  /** A connection was accepted in this turn. */
  #hasAccepted = false;
  /** When the last step ended. */
  #workedAt = Number.NEGATIVE_INFINITY;
  #isArmed = false;
  /** When the work began that runs now, and is counted when it ends. */
  #runningSince: number | undefined;
  /** The step that has just run goes on behind a promise. */
  #goesOn = false;
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Owners that wait. */
  get waiting(): number {
    return this.#lines.owners;
  }

  /**
   * Whether the owner's work may be run at once, in the turn that has begun: then `spend` is to be called behind it. An owner that has steps
   * waiting has no time before them; another need not wait behind it.
   */
  hasTime(owner: string): boolean {
    if (this.#lines.has(owner) || this.#givesWay()) return false;
    const runningMs = this.#runningSince === undefined ? 0 : this.#now() - this.#runningSince;
    return (this.#isStepping ? this.#stepsMs : this.#atOnceMs) + runningMs < TURN_MS;
  }

  /**
   * Notes that a connection was accepted in this turn. libuv accepts one in each turn of the event loop, and others may wait behind it, so
   * steps wait, until `ACCEPT_MS` after the last one.
   */
  noteConnection(): void {
    this.#hasAccepted = true;
    this.#arm();
  }

  /** Counts what was run at once, milliseconds; within work that is counted whole it counts nothing. */
  spend(ms: number): void {
    if (this.#isStepping) this.#stepsMs += ms;
    else if (this.#runningSince === undefined) this.#atOnceMs += ms;
    this.#arm();
  }

  /** Runs `step` in a turn of its owner, later. It must not throw. */
  enter(owner: string, step: Step): void {
    this.#lines.add(owner, step);
    this.#arm();
  }

  /**
   * Runs work to its end, which pauses (`yield`) at least once a millisecond or so. Its result is there at once when there is time for it in
   * this turn.
   * @throws what the work throws, at once or by rejection
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
   * Runs work that does not pause, and takes about `TURN_MS` at most: at once where there is time for it in this turn, else in a turn of its
   * owner. What it takes until it returns is counted.
   * @throws what the work throws, at once or by rejection
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
   * Runs the work of a request: at once where its owner is alone, since nobody waits for it, otherwise as `take` does.
   * @param now in milliseconds of the queue's clock
   * @throws what the work throws, at once or by rejection
   */
  serve<T>(owner: string, now: number, work: () => T | Promise<T>): T | Promise<T> {
    if (owner !== this.#lastOwner) {
      if (this.#lastOwner !== undefined) this.#otherAt = now;
      this.#lastOwner = owner;
    }
    return now - this.#otherAt > ALONE_MS ? work() : this.take(owner, work);
  }

  /** Runs `next` with a value: at once where it is there, as `take` does where it had to be waited for, since others may have waited for the same. */
  follow<T, U>(owner: string, value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
    return value instanceof Promise
      ? value.then((found) => this.take(owner, () => next(found)))
      : next(value);
  }

  /** Calls `resume`, which settles a promise, in a turn of the owner. What follows that promise until it waits again is part of the step, and counted. */
  resumeLater(owner: string, resume: () => void): void {
    this.enter(owner, () => {
      this.#goesOn = true;
      resume();
    });
  }

  /** Resolves in a turn of the owner: as `resumeLater`. */
  rejoin(owner: string): Promise<void> {
    return new Promise((resolve) => this.resumeLater(owner, resolve));
  }

  /** Resolves in a turn of the owner, for work that takes about `ms` behind it and cannot be run from here. */
  pause(owner: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.enter(owner, () => {
        this.#stepsMs += ms;
        resolve();
      });
    });
  }

  /** Counts what it takes; work within work is counted with that. */
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
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
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
    // Also to begin the next turn's account.
    if (this.#lines.owners > 0 || this.#stepsMs > 0 || this.#atOnceMs > 0) this.#arm();
  }

  /** Whether connections go before steps in this turn. */
  #givesWay(): boolean {
    return this.#hasAccepted && this.#now() - this.#workedAt < ACCEPT_MS;
  }

  #runSteps(): void {
    while (this.#stepsMs < TURN_MS) {
      const next = this.#lines.take();
      if (next === undefined) break;
      this.#stepOwner = next.owner;
      this.#isStepping = true;
      const startedAt = this.#now();
      this.#runningSince = startedAt;
      next.item();
      if (this.#goesOn) {
        this.#goesOn = false;
        // Ticks run when no microtask is left: what follows the promise has ended, or waits.
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

  /** Goes on with the work until it is done, or the time of a turn is used up. */
  #runStep<T>(work: Iterator<undefined, T>, startedAt: number): IteratorResult<undefined, T> {
    for (;;) {
      const step = work.next();
      if (step.done === true || this.#now() - startedAt >= TURN_MS) return step;
    }
  }
}

/** Of this thread: it has one event loop. */
export const TURNS: TurnQueue = new TurnQueue();
