import { Lru } from '../../../util/lru.ts';
import { SLICE_MS } from './run-slice.ts';

/** Maximum number of remembered call shapes, and their lifetime, milliseconds. */
const MAX_REMEMBERED = 4_096;
const MEMORY_MS = 2_000;
/** Slice of calls that are heavy with high probability, milliseconds. In 1 ms, most light calls end, and a heavy call wastes little time. */
export const SHORT_SLICE_MS = 1;
/**
 * Maximum duration of the last call of a shape on a thread, milliseconds, so that further calls of the shape stay on the request thread while only
 * one owner is active. Waking the execution thread and then the request thread again takes a tenth of this time.
 */
export const LONE_CALL_MS = 4;
/**
 * Slice of a lone owner's call that stays on the request thread, milliseconds: twice `LONE_CALL_MS`, because other programs may take part of the
 * processor.
 */
export const LONE_SLICE_MS: number = 2 * LONE_CALL_MS;
/** Maximum share of the request thread's time that may be lost to whole slices of calls that turn out to be heavy. */
const LOST_SHARE = 0.2;
/** Debt of wasted slices from which calls of unknown shape get a short slice, milliseconds. */
const MAX_DEBT_MS = 4;
/** A first slice that takes longer than this is expensive and is charged to its owner, whatever the outcome of the call, milliseconds. */
export const EXPENSIVE_MS = 0.5;
/** Maximum share of the request thread's time for one owner's expensive first slices while other owners are active. */
const OWNER_LOOP_SHARE = 0.1;
/**
 * Debt for expensive slices from which the calls of an owner have a tiny slice, milliseconds. From twice this debt, the owner's calls have no first
 * slice.
 */
const MAX_OWNER_DEBT_MS = 8;
/** Slice for calls of an owner in debt, milliseconds; it suffices for a cheap call. */
export const TINY_SLICE_MS = 0.25;
/** Maximum number of owners with a recorded debt. */
const MAX_OWNERS = 1_024;
/** Number of consecutive heavy calls of a shape after which further calls of the shape move to a thread without a first slice. */
const HEAVY_IN_A_ROW = 3;
/** One in this many calls of a heavy shape still gets a first slice, which shows whether the shape is still heavy. */
export const PROBE_INTERVAL = 16;

/** Destination of another heavy call: `none` (rejected), `queue`, `thread` (runs at once), or `empty` (a thread, and no other call runs or waits). */
export type Room = 'none' | 'queue' | 'thread' | 'empty';

/** Milliseconds of a call's first slice; `moved` if it starts on a thread for heavy calls, `refused` if it is rejected. */
export type Beginning = number | 'moved' | 'refused';

/** Recorded cost of calls of one shape. */
type Weight = {
  /** Number of consecutive heavy calls; 0 for a light shape. */
  heavyInARow: number;
  /** Number of calls of the shape that moved to a thread without a first slice since the last probe (`PROBE_INTERVAL`). */
  untried: number;
  /** True if the last call that ended in its first slice was expensive. */
  isExpensive: boolean;
  /** Duration of the last call of this shape on a thread, milliseconds; infinite if none has ended there since the last slice that was not enough. */
  threadMs: number;
};

/** Decaying debt for expensive slices at the time `countedAt`, milliseconds. */
type OwnerDebt = { ms: number; countedAt: number };

/** Owner and shape of a call. Calls of one shape usually cost the same. */
export type CallKind = { readonly owner: string; readonly shape: string };

/**
 * Time limits for calls on the thread that reads requests. A heavy call uses up its first slice on this thread before it restarts on an execution
 * thread. A shape that was heavy recently gets a shorter slice, or none after several consecutive heavy calls. If much time was lost in first slices
 * recently, a call of unknown shape gets a shorter slice. Slices are also charged to the owner. While other owners are active, an owner above its
 * debt limit gets shorter slices or none, except for light, cheap shapes.
 */
export class FirstSlices {
  readonly #known: Lru<string, Weight>;
  readonly #debts: Lru<string, OwnerDebt>;
  readonly #now: () => number;
  readonly #idleMs: () => number;
  /** Total idle time of the event loop at the end of the last call that took longer than `SLICE_MS` in its slice, milliseconds. */
  #idleMsBefore = 0;
  /** Time before which no call gets a longer slice (`LONE_SLICE_MS`), because the last such slice was not enough. */
  #loneFrom = Number.NEGATIVE_INFINITY;
  /** Decaying debt of wasted first slices, ms. */
  #debtMs = 0;
  #countedAt: number;
  #calmFrom = Number.NEGATIVE_INFINITY;
  #lastOwner: string | undefined;
  /** End of the time in which several owners count as active. */
  #sharedUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param now monotonic clock, milliseconds
   * @param idleMs idle time of this thread since its start, milliseconds
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

  /** Records the owner of a call; must be called for every call, because time is limited per owner only while several owners are active. */
  noteOwner(owner: string, now: number): void {
    if (owner === this.#lastOwner) return;
    if (this.#lastOwner !== undefined) this.#sharedUntil = now + MEMORY_MS;
    this.#lastOwner = owner;
  }

  /**
   * Returns whether no call was heavy or expensive recently. Every call then gets a whole slice if the threads or the queue have room for another
   * heavy call, and light calls need no record.
   */
  isCalmAt(now: number): boolean {
    return now >= this.#calmFrom;
  }

  /** Returns whether several owners were active recently. If only one owner is active, its expensive slices delay no other owner. */
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
      this.#repayDebt();
      return this.#debtMs < MAX_DEBT_MS ? SLICE_MS : SHORT_SLICE_MS;
    }
    if (weight.threadMs <= LONE_CALL_MS && room === 'empty' && this.#isQuiet()) return LONE_SLICE_MS;
    if (weight.heavyInARow < HEAVY_IN_A_ROW) return SHORT_SLICE_MS;
    // A light call has a tiny first slice here. In the queue, it would wait for the heavy calls of the same caller.
    if (room === 'queue') return TINY_SLICE_MS;
    weight.untried = (weight.untried + 1) % PROBE_INTERVAL;
    return weight.untried === 0 ? SHORT_SLICE_MS : 'moved';
  }

  /** Records a call that ended within its first slice. @param ms duration of the call */
  noteFinished({ owner, shape }: CallKind, ms: number): void {
    // In a busy process, garbage collection makes some slices long. A long slice counts as expensive only while several owners are active.
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

  /** Charges an owner for work outside of slices on the owner's calls, milliseconds. */
  noteWork(owner: string, ms: number): void {
    const now = this.#now();
    if (!this.isSharedAt(now)) return;
    this.#charge(owner, ms);
    this.#calmFrom = Math.max(this.#calmFrom, now + MEMORY_MS);
  }

  /**
   * Records that a call did not end in its first slice of `sliceMs`. A single heavy call may be an exception, so a light shape becomes unknown, not
   * heavy.
   */
  noteMoved({ owner, shape }: CallKind, lostMs: number, sliceMs: number = SLICE_MS): void {
    this.#charge(owner, lostMs);
    this.#repayDebt();
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

  /** Records the end of a call on a thread for heavy calls. @param ms total duration of the call's slices on the thread */
  noteEnded({ shape }: CallKind, ms: number): void {
    const weight = this.#known.get(shape);
    if (weight !== undefined) weight.threadMs = ms;
  }

  /** Returns true if a longer slice delays no other request: only one owner is active, and no request was waiting after the last longer slice. */
  #isQuiet(): boolean {
    const now = this.#now();
    return now >= this.#loneFrom && !this.isSharedAt(now) && this.#idleMs() > this.#idleMsBefore;
  }

  /** Records that a longer slice was enough for a call, and extends the lifetime of its shape's record. */
  #noteLone(shape: string, weight: Weight): void {
    this.#idleMsBefore = this.#idleMs();
    this.#calmFrom = Math.max(this.#calmFrom, this.#now() + MEMORY_MS);
    this.#known.set(shape, weight);
  }

  /** Returns the debt of an owner for expensive slices, milliseconds; 0 while no other owner is active. */
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
    // Longer times than two slices are caused by the machine or by the first use of code. The excess is not charged.
    const charged = left + Math.min(ms, 2 * SLICE_MS);
    // With the cap, the debt decays to zero before the entry expires.
    this.#debts.set(owner, { ms: Math.min(charged, 4 * MAX_OWNER_DEBT_MS), countedAt: now });
  }

  #repayDebt(): void {
    const now = this.#now();
    this.#debtMs = Math.max(0, this.#debtMs - (now - this.#countedAt) * LOST_SHARE);
    this.#countedAt = now;
  }
}
