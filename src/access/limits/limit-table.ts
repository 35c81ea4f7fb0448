import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Rate } from '../keys/rate.ts';

/** Credits of an account that are not recorded in the table yet. */
export type Spending = {
  readonly account: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly credits: number;
  /** Sequence number, increasing within a process. A repeated report with unknown outcome keeps its number. */
  readonly entry: number;
  /** Total known to this process for the day, from which a table that has lost it recovers. */
  readonly known: number;
};

/** Tokens to take from a bucket, and credits to record. */
export type Draw = {
  readonly bucket: string;
  readonly rate: Rate | undefined;
  readonly tokens: number;
  readonly spending: Spending | undefined;
};

export type Drawn = {
  /** Whole tokens, at most the requested number. */
  readonly tokens: number;
  /** Delay until the next token, ms; 0 if one may be available. */
  readonly waitMs: number;
  /** Credits of the day, including those just recorded. */
  readonly spent: number;
};

/** Token buckets and credit counters shared by processes. A bucket holds up to `burst`, earns `perSecond`, and starts full. */
export interface LimitTable {
  /** Takes tokens and records credits; undefined while the table is unavailable. Never throws or rejects. */
  draw(draw: Draw): PromiseOrValue<Drawn | undefined>;
  /** Share of each limit that this process may grant while the table is unavailable: 0 to 1. */
  readonly share: number;
  /** Share of the daily credits that this process may spend before reporting: 0 to 1. All processes together spend at most a tenth that way. */
  readonly unreported: number;
  close(): Promise<void>;
}
