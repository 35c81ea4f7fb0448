import { Lru } from '../../util/lru.ts';
import { SLICE_MS } from './run-slice.ts';

/** Kinds of calls that are remembered, and for how long. */
const MAX_REMEMBERED = 4_096;
const MEMORY_MS = 2_000;
/** For calls that are likely to be heavy: enough for most light ones, and little to lose, milliseconds. */
export const SHORT_SLICE_MS = 1;
/** The part of its time that the thread of the requests may lose to whole slices of calls that turn out to be heavy... */
const LOST_SHARE = 0.2;
/** ...and how much of it at once, milliseconds. */
const MAX_DEBT_MS = 4;

/**
 * How long calls may run on the thread that reads requests. A heavy one costs that thread its first slice before it moves
 * to another. So those whose like was heavy lately have a short one, and so do unknown ones when much time was lost.
 */
export class FirstSlices {
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
   * @returns milliseconds; 0: the call is not even begun
   */
  lengthFor(shape: string, hasRoom: boolean): number {
    const weight = this.#known.get(shape);
    if (weight === 'light') return SLICE_MS;
    if (!hasRoom) return 0;
    if (weight === 'heavy') return SHORT_SLICE_MS;
    this.#settleDebt();
    return this.#debtMs < MAX_DEBT_MS ? SLICE_MS : SHORT_SLICE_MS;
  }

  /** A call of this shape has ended within its first slice. */
  noteFinished(shape: string): void {
    if (this.#known.get(shape) === undefined) this.#known.set(shape, 'light');
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
