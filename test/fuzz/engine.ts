import type { FuzzCase } from './fuzz-case.ts';
import type { Outcome } from './outcome.ts';

/** A part of linear memory that must not be written. */
export type GuardRegion = { readonly offset: number; readonly length: number };

/** Memory with guard regions. It is fetched again before each check, because growth replaces it. */
export type GuardedMemory = { readonly bytes: Uint8Array; readonly guards: readonly GuardRegion[] };

/** An implementation that executes cases and is compared with the oracle. */
export interface Engine {
  runCase(fuzzCase: FuzzCase): Promise<Outcome> | Outcome;
  /** Undefined where the engine has no linear memory. */
  guardedMemory(): GuardedMemory | undefined;
}
