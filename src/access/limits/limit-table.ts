import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { Rate } from '../keys/rate.ts';

/** Credits that an account has spent and not yet entered. */
export type Spending = {
  readonly account: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly credits: number;
  /**
   * Its number, which only grows in a process: what is sent again, since it may or may not have been entered, has the number
   * that it had.
   */
  readonly entry: number;
  /** What was spent that day as far as is known here: a table that has lost it learns it again. */
  readonly known: number;
};

/** Tokens that are wanted of a bucket, and credits to enter. */
export type Draw = {
  readonly bucket: string;
  readonly rate: Rate | undefined;
  readonly tokens: number;
  readonly spending: Spending | undefined;
};

export type Drawn = {
  /** Whole tokens, up to what was wanted. */
  readonly tokens: number;
  /** Until there is another one, milliseconds; 0 when there may be one now. */
  readonly waitMs: number;
  /** Of the day, with what was entered now. */
  readonly spent: number;
};

/**
 * Buckets of tokens and counters of credits that processes share. A bucket holds up to `burst`, gets `perSecond`, and is
 * full when it is new.
 */
export interface LimitTable {
  /** Undefined while the table is away. Never throws or rejects. */
  draw(draw: Draw): PromiseOrValue<Drawn | undefined>;
  /** The part of each limit that this process may give while the table is away: 0 to 1. */
  readonly share: number;
  /** The part of a day's credits that this process may spend before the table knows: 0 to 1. All processes together spend at most a tenth so. */
  readonly unreported: number;
  close(): Promise<void>;
}
