import type { PromiseOrValue } from '../primitives/promise-or-value.ts';

/** How long what `exchange` has answered holds, milliseconds: a height that is announced is served once it is so old. */
export const HEIGHT_LEASE_MS = 25;
/** How long the height of a process counts that says nothing more: its clients may still ask others. */
export const HEIGHT_LIFE_MS = 60_000;
/** Added to the lease where others may hold one: clocks of processes tick in whole milliseconds. */
export const HEIGHT_SLACK_MS = 2;

/** What other processes have said of a chain. */
export type OtherHeights = {
  /** The highest; undefined where there is none. */
  readonly highest: number | undefined;
  /** For how long that has been announced, milliseconds. */
  readonly ageMs: number;
  /** Whether one of them may still rely on an earlier answer of the table. */
  readonly hasReaders: boolean;
};

/** Heights of the heads that processes serve, which they share. */
export interface HeightTable {
  /**
   * Announces the height of a reader's head, undefined where it has none, and reads those of the others in one step.
   * @param reader a name that no other process has
   * @returns undefined while the table is away. Never throws or rejects
   */
  exchange(
    chain: string,
    reader: string,
    height: number | undefined,
  ): PromiseOrValue<OtherHeights | undefined>;
  close(): Promise<void>;
}
