/** Scheduling of long answers of nodes, which share the event loop with other expensive work. */
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { SCHEDULER, SLOT_MS, type SlotScheduler } from '../../util/slot-scheduler.ts';

/** Maximum length of an answer whose calls are completed immediately, bytes; this takes a fraction of a millisecond for any content. */
const SHORT_BYTES = 4 * 1024;

/** Maximum length of an answer that is read in one step, bytes; this takes a fraction of a millisecond. */
const READ_BYTES = 16 * 1024;

/** Owner name under which all answers of nodes queue in `SCHEDULER`; other owners there are callers. */
const OWNER = 'answers of nodes';

/**
 * Runs callbacks that complete calls, one after the other. Promise reactions to a callback are charged to the scheduler slot of the callback. When
 * the time of the slot is used up, the next callback waits for the next slot.
 */
export class CompletionQueue {
  readonly #waiting: (() => void)[] = [];
  /** Whether a callback is running or scheduled. */
  #isBusy = false;
  readonly #slots: SlotScheduler;
  readonly #now: () => number;

  /** @param now clock of `slots` */
  constructor(slots: SlotScheduler, now: () => number) {
    this.#slots = slots;
    this.#now = now;
  }

  /** Runs `complete` immediately if no callback waits and time is left in this iteration of the event loop, otherwise in a later slot. */
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
    // The whole time of the slot is charged in advance: promise reactions of the callback run after this function, so nothing else may be scheduled
    // in this slot.
    this.#slots.spend(SLOT_MS);
    this.#runUntil(this.#now() + SLOT_MS, () => {});
  };

  #runUntil(end: number, onPause: () => void): void {
    const complete = this.#waiting.shift() as () => void;
    // The tick is scheduled from a microtask, so all promise reactions that follow from the callback run before the tick.
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

/**
 * Runs a callback that completes calls with an answer of `bytes` bytes: immediately if the answer is short, otherwise in a slot that long answers
 * share.
 */
export function completeInSlot(bytes: number, complete: () => void): void {
  if (bytes <= SHORT_BYTES) complete();
  else LINE.enter(complete);
}

/**
 * Reads an answer of `bytes` bytes: in one step if it is short, otherwise in scheduler slots.
 * @throws the error of `work`, synchronously or by rejection
 */
export function readInSlots<T>(bytes: number, work: Iterator<undefined, T>): PromiseOrValue<T> {
  if (bytes > READ_BYTES) return SCHEDULER.run(OWNER, work);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Resolves in a scheduler slot that long answers share; the work up to the next await is charged to this slot. */
export function awaitAnswerSlot(): Promise<void> {
  return SCHEDULER.rejoin(OWNER);
}
