import type { FuzzCase } from './fuzz-case.ts';
import type { Outcome } from './outcome.ts';

/** A part of linear memory that nothing may write to. */
export type GuardRegion = { readonly offset: number; readonly length: number };

/** Memory with guards that are watched. It is asked for anew before each look: growth replaces it. */
export type GuardedMemory = { readonly bytes: Uint8Array; readonly guards: readonly GuardRegion[] };

/** Whatever executes cases and is compared with the oracle. */
export interface Engine {
  runCase(fuzzCase: FuzzCase): Promise<Outcome> | Outcome;
  /** Undefined where the engine has no linear memory. */
  guardedMemory(): GuardedMemory | undefined;
}
