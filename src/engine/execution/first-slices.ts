import { Lru } from '../../util/lru.ts';
import { SLICE_MS } from './run-slice.ts';

/** Shapes of calls that are remembered, and for how long. */
const MAX_REMEMBERED = 4_096;
const MEMORY_MS = 2_000;
/** For calls that are likely to be heavy: enough for most light ones, and little to lose, milliseconds. */
export const SHORT_SLICE_MS = 1;
/**
 * A call of an owner that is alone is not moved where the last one of its shape ended on a thread in so many milliseconds: waking a thread, and being
 * woken by it, would be a tenth of its time.
 */
export const LONE_CALL_MS = 4;
/** Its slice, milliseconds: twice as much, since other programs may take a part of the processor. */
export const LONE_SLICE_MS: number = 2 * LONE_CALL_MS;
/** The part of its time that the thread of the requests may lose to whole slices of calls that turn out to be heavy... */
const LOST_SHARE = 0.2;
/** ...and how much of it at once, milliseconds. */
const MAX_DEBT_MS = 4;
/** A first slice that takes longer than this is expensive, milliseconds: it counts against its owner, whatever came of it. */
export const EXPENSIVE_MS = 0.5;
/** The part of that thread's time that expensive first slices of one owner may take while other owners ask too... */
const OWNER_LOOP_SHARE = 0.1;
/** ...and how much of it at once, milliseconds. Beyond it the owner's calls have a tiny slice, beyond twice as much none. */
const MAX_OWNER_DEBT_MS = 8;
/** Enough for a cheap call, milliseconds. */
export const TINY_SLICE_MS = 0.25;
/** Bound on the number of owners with a recorded debt. */
const MAX_OWNERS = 1_024;
/** After so many heavy calls of a shape, one after another, its calls move without a first slice... */
const HEAVY_IN_A_ROW = 3;
/** ...but for one in so many, to see whether they still are heavy. */
export const PROBE_INTERVAL = 16;

/** Where a call could go if it turned out to be heavy: nowhere, where it may have to wait, where it begins at once, or where there is no other. */
export type Room = 'none' | 'queue' | 'thread' | 'empty';

/** How a call begins: for so many milliseconds where it was read, at once on a thread for heavy ones, or not at all. */
export type Beginning = number | 'moved' | 'refused';

/** What is known of calls of one shape. */
type Weight = {
  /** Heavy ones one after another; 0: they are light. */
  heavyInARow: number;
  /** Those that moved at once since the last one that had a first slice. */
  untried: number;
  /** The last one that ended in its first slice was expensive. */
  isExpensive: boolean;
  /** Milliseconds that the last one took, where it ended on a thread. */
  threadMs: number;
};

/** Milliseconds of expensive slices, less what time has made good since they were counted. */
type OwnerDebt = { ms: number; countedAt: number };

/** Which call it is: of which owner, and what it has in common with others of about the same weight. */
export type CallKind = { readonly owner: string; readonly shape: string };

/**
 * Time limits for calls on the thread that reads requests. A heavy call uses up its first slice there before it starts again
 * on an execution thread. A shape that was heavy recently gets a shorter slice, or none if all calls of it were heavy; so does an
 * unknown shape while much time was lost. Slices are also charged to the owner: over its debt limit, an owner gets shorter slices
 * or none while other owners are active, whatever the shapes of its calls.
 */
export class FirstSlices {
  readonly #known: Lru<string, Weight>;
  readonly #debts: Lru<string, OwnerDebt>;
  readonly #now: () => number;
  readonly #idleMs: () => number;
  /** What the event loop had been idle when the last call ended that took longer than an ordinary slice. */
  #idleMsBefore = 0;
  /** None has a longer slice until then: the last one was not enough. */
  #loneFrom = Number.NEGATIVE_INFINITY;
  /** Milliseconds lost, less what time has made good. */
  #debtMs = 0;
  #countedAt: number;
  #calmFrom = Number.NEGATIVE_INFINITY;
  #lastOwner: string | undefined;
  /** Until then several owners count as asking. */
  #sharedUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param now a monotonic clock in milliseconds
   * @param idleMs how long this thread has waited for something to do since its start
   */
  constructor(
    now: () => number = () => performance.now(),
    idleMs: () => number = () => performance.eventLoopUtilization().idle,
  ) {
    this.#known = new Lru(MAX_REMEMBERED, MEMORY_MS, now);
    this.#debts = new Lru(MAX_OWNERS, MEMORY_MS + (4 * MAX_OWNER_DEBT_MS) / OWNER_LOOP_SHARE, now);
    this.#now = now;
    this.#idleMs = idleMs;
    this.#countedAt = now();
  }

  /** Records the owner of each call: time is limited by owner only while several owners are active. */
  noteOwner(owner: string, now: number): void {
    if (owner === this.#lastOwner) return;
    if (this.#lastOwner !== undefined) this.#sharedUntil = now + MEMORY_MS;
    this.#lastOwner = owner;
  }

  /** Whether no call was heavy or expensive lately: then all have a whole slice where there is room, and nothing need be noted of light ones. */
  isCalmAt(now: number): boolean {
    return now >= this.#calmFrom;
  }

  /** Whether several owners asked lately. While one is alone, what its expensive slices take is its own time. */
  isSharedAt(now: number): boolean {
    return now < this.#sharedUntil;
  }

  choose({ owner, shape }: CallKind, room: Room): Beginning {
    const weight = this.#known.get(shape);
    const isLight = weight?.heavyInARow === 0;
    if (!isLight || weight.isExpensive) {
      const debt = this.#debtOf(owner);
      if (debt >= MAX_OWNER_DEBT_MS && room === 'none') return 'refused';
      if (debt >= 2 * MAX_OWNER_DEBT_MS) return 'moved';
      if (debt >= MAX_OWNER_DEBT_MS) return TINY_SLICE_MS;
    }
    if (isLight) return SLICE_MS;
    if (room === 'none') return 'refused';
    if (weight === undefined) {
      this.#settleDebt();
      return this.#debtMs < MAX_DEBT_MS ? SLICE_MS : SHORT_SLICE_MS;
    }
    if (weight.threadMs <= LONE_CALL_MS && room === 'empty' && this.#isQuiet()) return LONE_SLICE_MS;
    if (weight.heavyInARow < HEAVY_IN_A_ROW) return SHORT_SLICE_MS;
    // In a queue, behind the heavy ones of its caller, a light call would wait for long: it is tried first, for as little as it needs.
    if (room === 'queue') return TINY_SLICE_MS;
    weight.untried = (weight.untried + 1) % PROBE_INTERVAL;
    return weight.untried === 0 ? SHORT_SLICE_MS : 'moved';
  }

  /** A call has ended within its first slice, after so many milliseconds. */
  noteFinished({ owner, shape }: CallKind, ms: number): void {
    // Collections of garbage make some slices of any busy process long: they must not end the calm of an owner that is alone.
    const isExpensive = ms > EXPENSIVE_MS && this.isSharedAt(this.#now());
    const weight = this.#known.get(shape);
    if (weight === undefined)
      this.#known.set(shape, { heavyInARow: 0, untried: 0, isExpensive, threadMs: Number.POSITIVE_INFINITY });
    else {
      weight.heavyInARow = Math.min(weight.heavyInARow, 1);
      weight.isExpensive = isExpensive;
      if (ms > SLICE_MS) this.#noteLone(shape, weight);
    }
    if (isExpensive) this.noteWork(owner, ms);
  }

  /** Charges an owner for work on its calls that was not a slice. */
  noteWork(owner: string, ms: number): void {
    const now = this.#now();
    if (!this.isSharedAt(now)) return;
    this.#charge(owner, ms);
    this.#calmFrom = Math.max(this.#calmFrom, now + MEMORY_MS);
  }

  /** One has not, in a slice of `sliceMs`. For a shape known as light that may be chance: it is unknown from now on. */
  noteMoved({ owner, shape }: CallKind, lostMs: number, sliceMs: number = SLICE_MS): void {
    this.#charge(owner, lostMs);
    this.#settleDebt();
    this.#debtMs += lostMs;
    if (sliceMs === LONE_SLICE_MS) this.#loneFrom = this.#countedAt + MEMORY_MS;
    this.#calmFrom = Math.max(
      this.#calmFrom,
      this.#countedAt + Math.max(MEMORY_MS, this.#debtMs / LOST_SHARE),
    );
    const weight = this.#known.get(shape);
    if (weight?.heavyInARow === 0) this.#known.delete(shape);
    else
      this.#known.set(shape, {
        heavyInARow: 1 + (weight?.heavyInARow ?? 0),
        untried: weight?.untried ?? 0,
        isExpensive: true,
        threadMs: Number.POSITIVE_INFINITY,
      });
  }

  /** One that had moved has ended, after so many milliseconds of its thread's time. */
  noteEnded({ shape }: CallKind, ms: number): void {
    const weight = this.#known.get(shape);
    if (weight !== undefined) weight.threadMs = ms;
  }

  /** Whether a longer slice makes nothing wait that has come: nothing had to wait for the last one, and one owner asks. */
  #isQuiet(): boolean {
    const now = this.#now();
    return now >= this.#loneFrom && !this.isSharedAt(now) && this.#idleMs() > this.#idleMsBefore;
  }

  /** A longer slice was enough: its shape is remembered for as long as it is asked for. */
  #noteLone(shape: string, weight: Weight): void {
    this.#idleMsBefore = this.#idleMs();
    this.#calmFrom = Math.max(this.#calmFrom, this.#now() + MEMORY_MS);
    this.#known.set(shape, weight);
  }

  /** Milliseconds that an owner has taken beyond its share; 0 while no other owner asks. */
  #debtOf(owner: string): number {
    const now = this.#now();
    if (!this.isSharedAt(now)) return 0;
    const debt = this.#debts.get(owner);
    return debt === undefined ? 0 : debt.ms - (now - debt.countedAt) * OWNER_LOOP_SHARE;
  }

  #charge(owner: string, ms: number): void {
    const now = this.#now();
    const debt = this.#debts.get(owner);
    const left = debt === undefined ? 0 : Math.max(0, debt.ms - (now - debt.countedAt) * OWNER_LOOP_SHARE);
    // What goes beyond a slice and a piece is the machine's doing, or a first use of something.
    const charged = left + Math.min(ms, 2 * SLICE_MS);
    // No more than is made good while the debt is remembered.
    this.#debts.set(owner, { ms: Math.min(charged, 4 * MAX_OWNER_DEBT_MS), countedAt: now });
  }

  #settleDebt(): void {
    const now = this.#now();
    this.#debtMs = Math.max(0, this.#debtMs - (now - this.#countedAt) * LOST_SHARE);
    this.#countedAt = now;
  }
}
