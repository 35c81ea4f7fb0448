/** What crosses the thread boundary: executions as plain messages, and their outcomes. */
import type { ChainErrorParts } from '../../chain/errors.ts';
import type { CoreModule } from '../../evm/core-module.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import type { SimulateBlocksRequest } from '../simulation/blocks/simulate-blocks.ts';
import type { SimulationKind } from '../simulation/call-environment.ts';
import type { SimulationRequest } from '../simulation/simulator.ts';
import type { StateNeed } from '../state/missing-state.ts';
import type { StateExcerpt } from '../state/state-excerpt.ts';
import type { ExecutionMemoryOptions } from './execution-memory.ts';

/**
 * One call.
 * @template S where its state is: in the store of a folder, or what is needed of one that is in no store
 */
export type CallJob<S = string | StateExcerpt> = {
  readonly kind: SimulationKind;
  readonly store: S;
  readonly request: SimulationRequest;
  /** The most gas that a call may have, which is what it has when it gives none (spec 8). */
  readonly gasLimit: bigint;
  /** For access lists of calls that offer a price and no priority fee, wei per gas. */
  readonly suggestedTip?: bigint | undefined;
};

/** Blocks of calls. */
export type BlocksJob = {
  readonly kind: 'blocks';
  /** Folder of the store that holds the chain. */
  readonly store: string;
  readonly request: SimulateBlocksRequest;
  /** Gas of all calls together. */
  readonly gasLimit: bigint;
};

export type Job = CallJob | BlocksJob;

/** A job for a slice on the thread of the requests, where its state is at hand: without a store it cannot move to another. */
export type LocalJob = Job | CallJob<undefined>;

/** `result` is return data of a call, the quantity of an estimate, or JSON as text or UTF-8 bytes. */
export type JobOutcome =
  | { readonly result: HexData }
  | { readonly error: ChainErrorParts }
  /** A part of the state is needed that the job did not come with. */
  | { readonly missing: StateNeed }
  /** A fault of this program, not of the call. */
  | { readonly fault: string };

/** What a thread is started with. */
export type ThreadData = {
  readonly core: CoreModule;
  /** Bytes of memory that one execution may have. */
  readonly memoryLimit: number;
  readonly memory: ExecutionMemoryOptions;
  /** Of its `NativeSection`. */
  readonly section: SharedArrayBuffer;
};

/** To a thread. Jobs are numbered by their sender. */
export type Order =
  /** Owners share the thread's time. */
  | { readonly kind: 'run'; readonly id: number; readonly owner: string; readonly job: Job }
  /** The job is given up. It is reported as done when nothing of it is left, whatever it came to. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Ends the thread between two slices. */
  | { readonly kind: 'stop' };

/** From a thread. */
export type Report =
  /** Sent once, when the modules are loaded. */
  | {
      readonly kind: 'ready';
      /** The operating system's id of the thread, where available (Linux): its priority can be lowered by it. */
      readonly systemThreadId: number | undefined;
    }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly outcome: JobOutcome;
      /** Milliseconds in slices of this job. */
      readonly jobMs: number;
      /** What the thread has used since its last report: gas of runs that ended, milliseconds in slices. */
      readonly gas: number;
      readonly ms: number;
    };
