/** Messages between threads: executions and their outcomes. */

import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { CoreModule } from '../../../../packages/evm/interpreter/core-module.ts';
import type { ChainErrorParts } from '../../../chain/errors.ts';
import type { SimulateBlocksRequest } from '../simulation/blocks/simulate-blocks.ts';
import type { SimulationKind } from '../simulation/call-environment.ts';
import type { SimulationRequest } from '../simulation/simulator.ts';
import type { StateNeed } from '../state/missing-state.ts';
import type { StateExcerpt } from '../state/state-excerpt.ts';
import type { ExecutionMemoryOptions } from './execution-memory.ts';

/**
 * One call.
 * @template S source of the state: the folder of a store, or an excerpt of a state that no store contains
 */
export type CallJob<S = string | StateExcerpt> = {
  readonly kind: SimulationKind;
  readonly store: S;
  readonly request: SimulationRequest;
  /** Gas cap of the call; also the gas of a call without `gas` field (spec 8). */
  readonly gasLimit: bigint;
  /** Priority fee for the access list of a call that offers a price but no tip, wei per gas. */
  readonly suggestedTip?: bigint | undefined;
};

/** A block simulation. */
export type BlocksJob = {
  readonly kind: 'blocks';
  /** Folder of the store with the chain. */
  readonly store: string;
  readonly request: SimulateBlocksRequest;
  /** Total gas limit of all calls. */
  readonly gasLimit: bigint;
};

export type Job = CallJob | BlocksJob;

/**
 * A job that may run for one slice on the request thread, because this thread has the state. A job whose `store` is undefined cannot move to
 * another thread.
 */
export type LocalJob = Job | CallJob<undefined>;

/** `result` is the return data of a call, the quantity of an estimate, or JSON as text or UTF-8 bytes. */
export type JobOutcome =
  | { readonly result: HexData }
  | { readonly error: ChainErrorParts }
  /** The execution needs a part of the state that its excerpt does not contain. */
  | { readonly missing: StateNeed }
  /** Error text of an internal fault, for example an exception in the EVM. A failure of the call is no internal fault. */
  | { readonly fault: string };

/** Start parameters of a thread. */
export type ThreadData = {
  readonly core: CoreModule;
  /** Memory limit of one execution, bytes. */
  readonly memoryLimit: number;
  readonly memory: ExecutionMemoryOptions;
  /** Memory of the thread's `NativeSection`, which the request thread shares. */
  readonly section: SharedArrayBuffer;
};

/** Messages to a thread. The sender assigns the job ids. */
export type Order =
  /** Starts a job; owners share the thread's time. */
  | { readonly kind: 'run'; readonly id: number; readonly owner: string; readonly job: Job }
  /** Cancels a job. The thread reports `done` as soon as the job no longer uses it, whatever the outcome. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Stops the thread between two slices. */
  | { readonly kind: 'stop' };

/** Messages from a thread. */
export type Report =
  /** Sent once, when the modules are loaded. */
  | {
      readonly kind: 'ready';
      /** Linux id of the thread, with which its priority is lowered; undefined on other systems. */
      readonly systemThreadId: number | undefined;
    }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly outcome: JobOutcome;
      /** Total duration of this job's slices, milliseconds. */
      readonly jobMs: number;
      /** Gas of the runs that finished on the thread since its last report, and duration of its slices since that report, milliseconds. */
      readonly gas: number;
      readonly ms: number;
    };
