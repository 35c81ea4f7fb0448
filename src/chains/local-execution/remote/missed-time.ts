import { SLOT_MS } from '../../../util/slot-scheduler.ts';

/**
 * Time per owner that calls have wasted in this turn of the event loop, because their state was missing. One turn may read requests of hundreds of
 * connections, each of which runs at once. When an owner has wasted `SLOT_MS`, its next calls wait for scheduler slots.
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
