import { Lru } from '../../util/lru.ts';

/** Kinds of calls that are remembered, and for how long. */
const MAX_REMEMBERED = 4_096;
const MEMORY_MS = 2_000;
/** The part of its time that the thread of the requests may lose to calls that turn out to be heavy... */
const LOST_SHARE = 0.2;
/** ...and how much of it at once, milliseconds. */
const MAX_DEBT_MS = 4;

/**
 * Decides which calls begin on the thread that reads requests. A heavy one costs that thread a slice before it moves to
 * another: those whose like was heavy lately begin there at once, and so do unknown ones when too much time was lost.
 */
export class InlineAdmission {
  readonly #known: Lru<string, 'light' | 'heavy'>;
  readonly #now: () => number;
  /** Milliseconds lost, less what time has made good. */
  #debtMs = 0;
  #countedAt: number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#known = new Lru(MAX_REMEMBERED, MEMORY_MS, now);
    this.#now = now;
    this.#countedAt = now();
  }

  /**
   * @param shape what calls of about the same weight have in common
   * @param hasRoom whether the call could move if it turned out to be heavy
   */
  admits(shape: string, hasRoom: boolean): boolean {
    const weight = this.#known.get(shape);
    if (weight !== undefined) return weight === 'light';
    this.#settleDebt();
    return hasRoom && this.#debtMs < MAX_DEBT_MS;
  }

  /** A call of this shape has ended within its first slice. */
  noteFinished(shape: string): void {
    if (this.#known.get(shape) !== 'light') this.#known.set(shape, 'light');
  }

  /** One has not. For a shape known as light that may be chance: it is unknown from now on. */
  noteMoved(shape: string, lostMs: number): void {
    this.#settleDebt();
    this.#debtMs += lostMs;
    if (this.#known.get(shape) === 'light') this.#known.delete(shape);
    else this.#known.set(shape, 'heavy');
  }

  #settleDebt(): void {
    const now = this.#now();
    this.#debtMs = Math.max(0, this.#debtMs - (now - this.#countedAt) * LOST_SHARE);
    this.#countedAt = now;
  }
}
