/** Schedules the reading of long answers of all nodes, which share the event loop with other expensive work. */
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { SCHEDULER, SLOT_MS, type SlotScheduler } from '../../util/slot-scheduler.ts';

/**
 * Maximum length of an answer that is read as soon as it is complete, bytes: reading it and completing its call takes a fraction of a millisecond for
 * any content.
 */
const SHORT_BYTES = 4 * 1024;

/** Maximum length of an answer that is read in one step, bytes: that takes a fraction of a millisecond. */
const READ_BYTES = 16 * 1024;

/** Owner under which answers of nodes queue in `SCHEDULER`; other owners are callers. */
const OWNER = 'answers of nodes';

/**
 * Runs callbacks that complete calls, one after the other. The consequences of a callback run in promises, and their time is charged to the callback:
 * when the time of the turn is used up, the next callback waits for the next turn.
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

  /** Runs `complete` immediately if no callback waits and this turn has time left, otherwise in a later turn. */
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
    // The tick is scheduled from a microtask, so all promises that follow from the callback run before the tick.
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
 * Runs a callback that completes calls with an answer of `bytes` bytes: immediately if the answer is short, otherwise in a turn shared with other
 * answers.
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

/** Resolves in a turn shared with other long answers; the work up to the next await is charged to this turn. */
export function awaitAnswerSlot(): Promise<void> {
  return SCHEDULER.rejoin(OWNER);
}
