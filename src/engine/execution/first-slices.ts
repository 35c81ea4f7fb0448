import { Lru } from '../../util/lru.ts';
import { SLICE_MS } from './run-slice.ts';

/** Shapes of calls that are remembered, and for how long. */
const MAX_REMEMBERED = 4_096;
const MEMORY_MS = 2_000;
/** For calls that are likely to be heavy: enough for most light ones, and little to lose, milliseconds. */
export const SHORT_SLICE_MS = 1;
/** The part of its time that the thread of the requests may lose to whole slices of calls that turn out to be heavy... */
const LOST_SHARE = 0.2;
/** ...and how much of it at once, milliseconds. */
const MAX_DEBT_MS = 4;
/** After so many heavy calls of a shape, one after another, its calls move without a first slice... */
const HEAVY_IN_A_ROW = 3;
/** ...but for one in so many, to see whether they still are heavy. */
export const PROBE_INTERVAL = 16;

/** Where a call could go if it turned out to be heavy: nowhere, where it may have to wait, or where it begins at once. */
export type Room = 'none' | 'queue' | 'thread';

/** How a call begins: for so many milliseconds where it was read, at once on a thread for heavy ones, or not at all. */
export type Beginning = number | 'moved' | 'refused';

/** What is known of calls of one shape. */
type Weight = {
  /** Heavy ones one after another; 0: they are light. */
  heavyInARow: number;
  /** Those that moved at once since the last one that had a first slice. */
  untried: number;
};

/**
 * How long calls may run on the thread that reads requests. A heavy one costs that thread its first slice before it moves
 * to another, where it begins anew. So those whose like was heavy lately have a short one, or none when all of them were;
 * and so do unknown ones when much time was lost.
 */
export class FirstSlices {
  readonly #known: Lru<string, Weight>;
  readonly #now: () => number;
  /** Milliseconds lost, less what time has made good. */
  #debtMs = 0;
  #countedAt: number;
  #calmFrom = Number.NEGATIVE_INFINITY;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#known = new Lru(MAX_REMEMBERED, MEMORY_MS, now);
    this.#now = now;
    this.#countedAt = now();
  }

  /** Whether no call was heavy lately: then all have a whole slice where there is room, and nothing need be noted of light ones. */
  isCalmAt(now: number): boolean {
    return now >= this.#calmFrom;
  }

  /** @param shape what calls of about the same weight have in common */
  choose(shape: string, room: Room): Beginning {
    const weight = this.#known.get(shape);
    if (weight?.heavyInARow === 0) return SLICE_MS;
    if (room === 'none') return 'refused';
    if (weight === undefined) {
      this.#settleDebt();
      return this.#debtMs < MAX_DEBT_MS ? SLICE_MS : SHORT_SLICE_MS;
    }
    // In a queue, behind the heavy ones of its caller, a light call would wait for long: it is tried first.
    if (weight.heavyInARow < HEAVY_IN_A_ROW || room === 'queue') return SHORT_SLICE_MS;
    weight.untried = (weight.untried + 1) % PROBE_INTERVAL;
    return weight.untried === 0 ? SHORT_SLICE_MS : 'moved';
  }

  /** A call of this shape has ended within its first slice. */
  noteFinished(shape: string): void {
    const weight = this.#known.get(shape);
    if (weight === undefined) this.#known.set(shape, { heavyInARow: 0, untried: 0 });
    else weight.heavyInARow = Math.min(weight.heavyInARow, 1);
  }

  /** One has not. For a shape known as light that may be chance: it is unknown from now on. */
  noteMoved(shape: string, lostMs: number): void {
    this.#settleDebt();
    this.#debtMs += lostMs;
    this.#calmFrom = this.#countedAt + Math.max(MEMORY_MS, this.#debtMs / LOST_SHARE);
    const weight = this.#known.get(shape);
    if (weight?.heavyInARow === 0) this.#known.delete(shape);
    else
      this.#known.set(shape, { heavyInARow: 1 + (weight?.heavyInARow ?? 0), untried: weight?.untried ?? 0 });
  }

  #settleDebt(): void {
    const now = this.#now();
    this.#debtMs = Math.max(0, this.#debtMs - (now - this.#countedAt) * LOST_SHARE);
    this.#countedAt = now;
  }
}
