/** Long answers of all nodes share the turns of the event loop with other expensive work. */
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import { TURN_MS, TURNS, type TurnQueue } from '../../util/turn-queue.ts';

/** A shorter answer is read, and its call settled, as soon as it is complete: that takes a fraction of a millisecond, whatever is in it. */
const SHORT_BYTES = 4 * 1024;

/** An answer of so many bytes is read at once: that takes a fraction of a millisecond. */
const READ_BYTES = 16 * 1024;

/** In the lines of `TURNS`, where callers are owners. */
const OWNER = 'answers of nodes';

/**
 * Runs callbacks that settle calls one after the other. What a settled call brings about runs in promises: a callback counts with all of that, and where
 * the time of the turn is used up behind it, the next one waits for the next turn.
 */
export class SettleLine {
  readonly #waiting: (() => void)[] = [];
  /** A callback is run or armed. */
  #isBusy = false;
  readonly #turns: TurnQueue;
  readonly #now: () => number;

  /** `now` is the clock of `turns`. */
  constructor(turns: TurnQueue, now: () => number) {
    this.#turns = turns;
    this.#now = now;
  }

  /** Runs `settle` at once where nothing waits and there is time in this turn, otherwise later. */
  enter(settle: () => void): void {
    this.#waiting.push(settle);
    if (this.#isBusy) return;
    this.#isBusy = true;
    if (!this.#turns.hasTime(OWNER)) {
      this.#turns.enter(OWNER, this.#takeTurn);
      return;
    }
    const startedAt = this.#now();
    this.#runUntil(startedAt + TURN_MS, () => this.#turns.spend(this.#now() - startedAt));
  }

  readonly #takeTurn = (): void => {
    // Its promises run behind this step: no other is to be run in this turn.
    this.#turns.spend(TURN_MS);
    this.#runUntil(this.#now() + TURN_MS, () => {});
  };

  #runUntil(end: number, onPause: () => void): void {
    const settle = this.#waiting.shift() as () => void;
    // All promises that follow from it run before a tick that a promise asks for.
    queueMicrotask(() => process.nextTick(() => this.#goOn(end, onPause)));
    settle();
  }

  #goOn(end: number, onPause: () => void): void {
    if (this.#waiting.length > 0 && this.#now() < end) {
      this.#runUntil(end, onPause);
      return;
    }
    onPause();
    if (this.#waiting.length > 0) this.#turns.enter(OWNER, this.#takeTurn);
    else this.#isBusy = false;
  }
}

const LINE = new SettleLine(TURNS, () => performance.now());

/** Runs what settles calls with an answer of so many bytes: at once where it is short, otherwise in a turn that it shares with other answers. */
export function settleInTurn(bytes: number, settle: () => void): void {
  if (bytes <= SHORT_BYTES) settle();
  else LINE.enter(settle);
}

/**
 * Reads so many bytes of an answer, at once where they are few, otherwise in turns.
 * @throws what the work throws, at once or by rejection
 */
export function readInTurns<T>(bytes: number, work: Iterator<undefined, T>): PromiseOrValue<T> {
  if (bytes > READ_BYTES) return TURNS.run(OWNER, work);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Resolves in a turn that long answers share: what follows until something is waited for again is counted in it. */
export function awaitAnswerTurn(): Promise<void> {
  return TURNS.rejoin(OWNER);
}
