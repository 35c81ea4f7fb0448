/** What the main thread and the workers of a fuzz run tell each other. */
import type { Revision } from '../../src/evm/revisions/revisions.ts';

export type FuzzTask = {
  /**
   * `differential`: against the oracle. `raw`: cases without sense, the subject alone. `gas`: the subject's own account of
   * how much gas it needed, against the subject with that much, and with less.
   */
  readonly mode: 'differential' | 'raw' | 'gas';
  readonly seed: number;
  readonly revision: Revision | undefined;
  /** This worker's cases are `first`, `first + stride`, `first + 2 * stride`... */
  readonly first: number;
  readonly stride: number;
  /** Number of the case after the last. */
  readonly end: number;
  readonly seconds: number;
  /** Two int32: the index of the case at hand, and how many are done. */
  readonly progress: Int32Array;
};

export type Failure = {
  readonly seed: number;
  readonly index: number;
  readonly difference: string;
  /** The case made small, as JSON text. */
  readonly minimal: string;
  readonly listing: string;
};

export type WorkerReport =
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly programs: number; readonly steps: number };
