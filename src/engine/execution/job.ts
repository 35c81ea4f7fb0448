/** What crosses the thread boundary: one execution as a plain message, and its outcome. */
import type { ChainErrorKind } from '../../chain/errors.ts';
import type { SimulationRequest } from '../simulation/simulator.ts';

export type Job = {
  readonly kind: 'call' | 'estimate';
  /** Folder of the store that holds the chain. */
  readonly store: string;
  readonly request: SimulationRequest;
  /** For calls the gas when none is given; for estimates the pending block's limit. */
  readonly gasLimit: bigint;
};

/** `result` is hex: return data of a call, a quantity for an estimate. */
export type JobOutcome =
  | { readonly result: string }
  | { readonly error: { readonly kind: ChainErrorKind; readonly message: string; readonly data?: string } }
  /** A fault of this program, not of the call. */
  | { readonly fault: string };

/** Sent when the modules are loaded, and whenever a store has been opened: the thread works and may be ended. */
export type Ready = {
  readonly ready: true;
  /** The operating system's number of the thread, where it tells (Linux): its priority can be lowered by it. */
  readonly systemThreadId: number | undefined;
};

export type WorkerMessage = Ready | JobOutcome;
