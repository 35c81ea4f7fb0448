/** Messages between the main thread and the workers of a fuzz run. */
import type { Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';

export type FuzzTask = {
  /**
   * `differential`: against the oracle. `raw`: meaningless cases, the subject alone. `gas`: the gas need that the subject
   * reports, against the subject with exactly that gas and with less.
   */
  readonly mode: 'differential' | 'raw' | 'gas';
  readonly seed: number;
  readonly revision: Revision | undefined;
  /** First case; this worker's cases are `first`, `first + stride`, `first + 2 * stride`... */
  readonly first: number;
  readonly stride: number;
  /** Index after the last case. */
  readonly end: number;
  readonly seconds: number;
  /** Two int32: index of the current case, and number of cases done. */
  readonly progress: Int32Array;
};

export type Failure = {
  readonly seed: number;
  readonly index: number;
  readonly difference: string;
  /** The shrunk case as JSON text. */
  readonly minimal: string;
  readonly listing: string;
};

export type WorkerReport =
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly programs: number; readonly steps: number };
