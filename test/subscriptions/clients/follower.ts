/** A subscriber: its position, its notifications, and the faults in them. */
import type { ForkBlock } from '../chain/fork-chain.ts';

/** Faults that must not happen to a subscriber. */
export type Faults = {
  lost: number;
  doubled: number;
  disordered: number;
  /** Blocks or logs that the chain removed and its notifications did not. */
  kept: number;
  /** Subscriptions that could not resume where they stopped. */
  refused: number;
};

export const NO_FAULTS: Faults = { lost: 0, doubled: 0, disordered: 0, kept: 0, refused: 0 };

export interface Follower {
  readonly name: string;
  readonly faults: Faults;
  /** Number of notifications so far. */
  readonly received: number;
  /** Descriptions of the first faults. */
  readonly complaints: readonly string[];
  /** Parameters of the next subscription, including where it begins or resumes. */
  readonly params: readonly unknown[];
  accept(result: unknown): void;
  /** The connection broke, possibly in the middle of a block. */
  interrupt(): void;
  /** The service refuses to resume the subscription, so it begins anew. */
  refuse(reason: string): void;
  /** True when all notifications up to the head arrived. */
  isAt(head: ForkBlock): boolean;
  /** Compares all its blocks or logs with the chain. */
  check(head: ForkBlock): void;
}

const MAX_COMPLAINTS = 5;

/** Counts faults. */
export class FaultCount {
  readonly faults: Faults = { ...NO_FAULTS };
  readonly complaints: string[] = [];

  add(kind: keyof Faults, what: string, count = 1): void {
    this.faults[kind] += count;
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push(`${kind}: ${what}`);
  }
}
