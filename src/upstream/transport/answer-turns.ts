/** Schedules the reading of long answers of all nodes, which share the event loop with other expensive work. */
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import { TURN_MS, TURNS, type TurnQueue } from '../../util/turn-queue.ts';

/** A shorter answer is read and its call completed as soon as it is whole: that takes a fraction of a millisecond, whatever it contains. */
const SHORT_BYTES = 4 * 1024;

/** An answer up to this length is read at once: that takes a fraction of a millisecond. */
const READ_BYTES = 16 * 1024;

/** Owner under which answers of nodes queue in `TURNS`, where callers are owners. */
const OWNER = 'answers of nodes';

/**
 * Runs callbacks that settle calls one after the other. The consequences of a callback run in promises, and their time is charged to it: once the
 * turn's time is used up, the next callback waits for the next turn.
 */
export class SettleLine {
  readonly #waiting: (() => void)[] = [];
  /** True while a callback runs or is scheduled. */
  #isBusy = false;
  readonly #turns: TurnQueue;
  readonly #now: () => number;

  /** @param now the clock of `turns` */
  constructor(turns: TurnQueue, now: () => number) {
    this.#turns = turns;
    this.#now = now;
  }

  /** Runs `settle` at once where nothing waits and this turn has time left, otherwise in a later turn. */
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
    // The promises of the callback run after this step, so no other step may run in this turn.
    this.#turns.spend(TURN_MS);
    this.#runUntil(this.#now() + TURN_MS, () => {});
  };

  #runUntil(end: number, onPause: () => void): void {
    const settle = this.#waiting.shift() as () => void;
    // All promises that follow from the callback run before a tick that is scheduled from a microtask.
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

/** Runs a callback that settles calls with an answer of `bytes` bytes: at once where it is short, otherwise in a turn shared with other answers. */
export function settleInTurn(bytes: number, settle: () => void): void {
  if (bytes <= SHORT_BYTES) settle();
  else LINE.enter(settle);
}

/**
 * Reads an answer of `bytes` bytes: at once where it is short, otherwise in scheduler slots.
 * @throws the error that the work throws, synchronously or by rejection
 */
export function readInTurns<T>(bytes: number, work: Iterator<undefined, T>): PromiseOrValue<T> {
  if (bytes > READ_BYTES) return TURNS.run(OWNER, work);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Resolves in a turn shared with other long answers: the work up to the next await is charged to it. */
export function awaitAnswerTurn(): Promise<void> {
  return TURNS.rejoin(OWNER);
}
