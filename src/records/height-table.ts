import type { PromiseOrValue } from '../primitives/promise-or-value.ts';

/** How long what `exchange` has answered holds, milliseconds: a height that is announced is served once it is so old. */
export const HEIGHT_LEASE_MS = 25;
/** How long the height of a process counts that says nothing more: its clients may still ask others. */
export const HEIGHT_LIFE_MS = 60_000;
/** Added to the lease where others may hold one: clocks of processes tick in whole milliseconds. */
export const HEIGHT_SLACK_MS = 2;

/** What a process says of itself; undefined where it has no head. */
export type OwnHeights = { readonly served: number | undefined; readonly announced: number | undefined };

/** Announced by a process for so many milliseconds. */
export type RisingHeight = { readonly height: number; readonly ageMs: number };

/** What other processes have said of a chain. */
export type OtherHeights = {
  /** The highest that may have been served; undefined where there is none. */
  readonly served: number | undefined;
  /** Announced, and not served before they are as old as the lease. */
  readonly rising: readonly RisingHeight[];
  /** Whether one of them may still rely on an earlier answer of the table. */
  readonly hasReaders: boolean;
};

/** Heights of the heads that processes serve, which they share. */
export interface HeightTable {
  /**
   * Announces the height of a reader's head and of the one that is to be its next, and reads those of the others in one step. Where none of
   * them may rely on an earlier answer, what is announced is served from now on.
   * @param reader a name that no other process has
   * @returns undefined while the table is away. Never throws or rejects
   */
  exchange(chain: string, reader: string, heights: OwnHeights): PromiseOrValue<OtherHeights | undefined>;
  close(): Promise<void>;
}
