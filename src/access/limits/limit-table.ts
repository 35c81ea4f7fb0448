import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Rate } from '../keys/rate.ts';

/** Credits of an account that the table has not recorded yet. */
export type Spending = {
  readonly account: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly credits: number;
  /** Sequence number of the report. The number increases within a process. A report with unknown outcome is repeated under the same number. */
  readonly entry: number;
  /** Credits spent on the day according to the table's last reply. If the table has lost its data, it restores the day's total from this number. */
  readonly known: number;
};

/** Tokens to take from a bucket, and credits to record, in one request. */
export type Draw = {
  readonly bucket: string;
  readonly rate: Rate | undefined;
  readonly tokens: number;
  readonly spending: Spending | undefined;
};

export type Drawn = {
  /** Number of whole tokens, at most the requested number. */
  readonly tokens: number;
  /** Delay until the next token, ms. 0 means that a token may be available. */
  readonly waitMs: number;
  /** Credits spent on the day, including the credits of this request. */
  readonly spent: number;
};

/** Token buckets and credit counters that processes share. A bucket contains up to `burst` tokens, earns `perSecond`, and starts full. */
export interface LimitTable {
  /** Takes tokens and records credits. Returns undefined while the table is unavailable. Never throws or rejects. */
  draw(draw: Draw): PromiseOrValue<Drawn | undefined>;
  /** Share of each limit, 0 to 1, that this process may grant while the table is unavailable. */
  readonly share: number;
  /**
   * Share of the daily credits, 0 to 1, that this process may spend before it reports. Tables choose the share so that all processes together spend
   * at most a tenth of the daily credits before they report.
   */
  readonly unreported: number;
  close(): Promise<void>;
}
