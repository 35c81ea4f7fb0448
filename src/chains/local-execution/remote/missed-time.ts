import { SLOT_MS } from '../../../util/slot-scheduler.ts';

/**
 * Time per owner that calls have wasted in this turn of the event loop, because their state was missing. One turn of the event loop may read requests
 * of hundreds of connections, and runs each request at once. An owner whose calls have wasted `SLOT_MS` has used up this time: its next calls wait
 * for scheduler slots.
 */
export class MissedTime {
  /** Wasted time by owner, milliseconds. */
  readonly #used = new Map<string, number>();

  isUsedUp(owner: string): boolean {
    return this.#used.size > 0 && (this.#used.get(owner) ?? 0) >= SLOT_MS;
  }

  note(owner: string, ms: number): void {
    if (this.#used.size === 0) setImmediate(() => this.#used.clear());
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + ms);
  }
}
