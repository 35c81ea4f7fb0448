import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';

/** Lease of an `exchange` reply, ms: an announced height counts as served from this age on. */
export const HEIGHT_LEASE_MS = 25;
/** Lifetime of the heights of a process that reports no more, ms. Clients of that process may still send requests to other processes. */
export const HEIGHT_LIFE_MS = 60_000;
/** Margin that is added to the lease if other processes may have one, ms. The margin is needed because process clocks tick in whole milliseconds. */
export const HEIGHT_SLACK_MS = 2;

/** Heights of this process; undefined if it has no head. */
export type OwnHeights = { readonly served: number | undefined; readonly announced: number | undefined };

/** Announced height of a process, and its age. */
export type RisingHeight = { readonly height: number; readonly ageMs: number };

/** Heights that the other processes of a chain reported. */
export type OtherHeights = {
  /** Highest height that may have been served; undefined if there is none. */
  readonly served: number | undefined;
  /** Heights that are announced, but not served until their age reaches the lease. */
  readonly rising: readonly RisingHeight[];
  /** Whether another process may still have a lease on an earlier reply of the table. */
  readonly hasReaders: boolean;
};

/** Heights of the heads that the processes of a chain serve, shared between the processes. */
export interface HeightTable {
  /**
   * Announces the heights of a process's head and of its next head, and reads the heights of the other processes, atomically. If no other process may
   * have a lease, the announced height counts as served immediately.
   * @param reader unique name of the process
   * @returns undefined while the table is unavailable. Never throws or rejects
   */
  exchange(chain: string, reader: string, heights: OwnHeights): PromiseOrValue<OtherHeights | undefined>;
  close(): Promise<void>;
}
