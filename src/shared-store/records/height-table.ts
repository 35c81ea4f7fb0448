import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';

/** Lease of an `exchange` reply, ms: an announced height is served once it has this age. */
export const HEIGHT_LEASE_MS = 25;
/** Lifetime of the heights of a silent process, whose clients may still send requests to others, ms. */
export const HEIGHT_LIFE_MS = 60_000;
/** Margin added to the lease where others may hold one, because process clocks tick in whole milliseconds, ms. */
export const HEIGHT_SLACK_MS = 2;

/** Heights of this process; undefined without a head. */
export type OwnHeights = { readonly served: number | undefined; readonly announced: number | undefined };

/** Announced height of a process, and its age. */
export type RisingHeight = { readonly height: number; readonly ageMs: number };

/** Heights reported by other processes of a chain. */
export type OtherHeights = {
  /** Highest height that may have been served; undefined where there is none. */
  readonly served: number | undefined;
  /** Heights that are announced, and not served before they reach the age of the lease. */
  readonly rising: readonly RisingHeight[];
  /** Whether another process may still hold a lease on an earlier reply of the table. */
  readonly hasReaders: boolean;
};

/** Heights of the heads that processes serve, shared by them. */
export interface HeightTable {
  /**
   * Announces the heights of a reader's head and of its next head, and reads those of the others, atomically. If no other process may hold a
   * lease, the announced height counts as served immediately.
   * @param reader process-unique name
   * @returns undefined while the table is unavailable. Never throws or rejects
   */
  exchange(chain: string, reader: string, heights: OwnHeights): PromiseOrValue<OtherHeights | undefined>;
  close(): Promise<void>;
}
