/** A subscriber: where it is, what it got, and what was wrong with that. */
import type { ForkBlock } from '../chain/fork-chain.ts';

/** What must not happen to a subscriber. */
export type Faults = {
  lost: number;
  doubled: number;
  disordered: number;
  /** Taken back by the chain, and not by what it got. */
  kept: number;
  /** Subscriptions that could not go on where they stopped. */
  refused: number;
};

export const NO_FAULTS: Faults = { lost: 0, doubled: 0, disordered: 0, kept: 0, refused: 0 };

export interface Follower {
  readonly name: string;
  readonly faults: Faults;
  /** Notifications so far. */
  readonly received: number;
  /** The first things that were wrong, in words. */
  readonly complaints: readonly string[];
  /** How it subscribes now: where it begins, or goes on. */
  readonly params: readonly unknown[];
  accept(result: unknown): void;
  /** Its connection is gone, in whatever it was in the middle of. */
  interrupt(): void;
  /** The service does not let it go on: it begins anew. */
  refuse(reason: string): void;
  /** Whether it has all up to the head. */
  isAt(head: ForkBlock): boolean;
  /** Compares all that it has with the chain. */
  check(head: ForkBlock): void;
}

const MAX_COMPLAINTS = 5;

/** Counts what is wrong. */
export class FaultCount {
  readonly faults: Faults = { ...NO_FAULTS };
  readonly complaints: string[] = [];

  add(kind: keyof Faults, what: string, count = 1): void {
    this.faults[kind] += count;
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push(`${kind}: ${what}`);
  }
}
