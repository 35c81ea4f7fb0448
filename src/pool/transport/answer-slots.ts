/** Schedules the reading of long answers of all nodes, which share the event loop with other expensive work. */
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { SCHEDULER, SLOT_MS, type SlotScheduler } from '../../util/slot-scheduler.ts';

/** A shorter answer is read and its call completed as soon as it is whole: that takes a fraction of a millisecond, whatever it contains. */
const SHORT_BYTES = 4 * 1024;

/** An answer up to this length is read at once: that takes a fraction of a millisecond. */
const READ_BYTES = 16 * 1024;

/** Owner under which answers of nodes queue in `SCHEDULER`, where callers are owners. */
const OWNER = 'answers of nodes';

/**
 * Runs callbacks that settle calls one after the other. The consequences of a callback run in promises, and their time is charged to it: once the
 * turn's time is used up, the next callback waits for the next turn.
 */
export class CompletionQueue {
  readonly #waiting: (() => void)[] = [];
  /** True while a callback runs or is scheduled. */
  #isBusy = false;
  readonly #slots: SlotScheduler;
  readonly #now: () => number;

  /** @param now the clock of `slots` */
  constructor(slots: SlotScheduler, now: () => number) {
    this.#slots = slots;
    this.#now = now;
  }

  /** Runs `complete` at once where nothing waits and this turn has time left, otherwise in a later turn. */
  enter(complete: () => void): void {
    this.#waiting.push(complete);
    if (this.#isBusy) return;
    this.#isBusy = true;
    if (!this.#slots.hasTime(OWNER)) {
      this.#slots.enter(OWNER, this.#takeSlot);
      return;
    }
    const startedAt = this.#now();
    this.#runUntil(startedAt + SLOT_MS, () => this.#slots.spend(this.#now() - startedAt));
  }

  readonly #takeSlot = (): void => {
    // The promises of the callback run after this step, so no other step may run in this turn.
    this.#slots.spend(SLOT_MS);
    this.#runUntil(this.#now() + SLOT_MS, () => {});
  };

  #runUntil(end: number, onPause: () => void): void {
    const complete = this.#waiting.shift() as () => void;
    // All promises that follow from the callback run before a tick that is scheduled from a microtask.
    queueMicrotask(() => process.nextTick(() => this.#goOn(end, onPause)));
    complete();
  }

  #goOn(end: number, onPause: () => void): void {
    if (this.#waiting.length > 0 && this.#now() < end) {
      this.#runUntil(end, onPause);
      return;
    }
    onPause();
    if (this.#waiting.length > 0) this.#slots.enter(OWNER, this.#takeSlot);
    else this.#isBusy = false;
  }
}

const LINE = new CompletionQueue(SCHEDULER, () => performance.now());

/** Runs a callback that settles calls with an answer of `bytes` bytes: at once where it is short, otherwise in a turn shared with other answers. */
export function completeInSlot(bytes: number, complete: () => void): void {
  if (bytes <= SHORT_BYTES) complete();
  else LINE.enter(complete);
}

/**
 * Reads an answer of `bytes` bytes: at once where it is short, otherwise in scheduler slots.
 * @throws the error that the work throws, synchronously or by rejection
 */
export function readInSlots<T>(bytes: number, work: Iterator<undefined, T>): PromiseOrValue<T> {
  if (bytes > READ_BYTES) return SCHEDULER.run(OWNER, work);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Resolves in a turn shared with other long answers: the work up to the next await is charged to it. */
export function awaitAnswerSlot(): Promise<void> {
  return SCHEDULER.rejoin(OWNER);
}
