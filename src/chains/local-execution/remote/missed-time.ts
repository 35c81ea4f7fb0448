import { SLOT_MS } from '../../../util/slot-scheduler.ts';

/**
 * Time that calls with missing state have taken in this turn of the event loop, by owner. One turn may read the requests of hundreds of connections,
 * and each request is tried at once. After an owner's calls have failed for `SLOT_MS`, its next calls wait for scheduler slots.
 */
export class MissedTime {
  /** Time by owner, milliseconds. */
  readonly #used = new Map<string, number>();

  isUsedUp(owner: string): boolean {
    return this.#used.size > 0 && (this.#used.get(owner) ?? 0) >= SLOT_MS;
  }

  note(owner: string, ms: number): void {
    if (this.#used.size === 0) setImmediate(() => this.#used.clear());
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + ms);
  }
}
