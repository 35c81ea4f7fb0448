import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { CallObject } from '../../../chain/requests.ts';
import { DEFAULT_MEMORY_LIMIT } from '../../../engine/create-evm.ts';
import type { EngineFigures, ExecutionPlace } from '../../../observe/sources.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { runPlainCall } from '../simulation/fast-path-call.ts';
import type { GasMeter } from '../simulation/gas-meter.ts';
import type { Simulator } from '../simulation/simulator.ts';
import { MissingState } from '../state/missing-state.ts';
import { executeJob } from './execute-job.ts';
import { type FastPathJob, shapeOf, toCallJob } from './fast-path-job.ts';
import { EXPENSIVE_MS, FirstSlices } from './first-slices.ts';
import { HeavyCalls, type HeavyCallsOptions, STOPPING, WAITED_TOO_LONG } from './heavy-calls.ts';
import type { BlocksJob, Job, LocalJob } from './job.ts';
import type { Lane } from './next-task.ts';
import { runSlice, SLICE_MS } from './run-slice.ts';

export type ExecutionPoolOptions = HeavyCallsOptions & {
  /** Total gas limit of all calls of an `eth_simulateV1` request. The default is 10 times the head's gas limit, as for a single call. */
  readonly simulationGas?: number;
  /** Called with the stack trace of an internal fault; a revert or another failure of a call is not a fault. */
  readonly onFault: (fault: string) => void;
};

export const DEFAULT_POOL: Omit<ExecutionPoolOptions, 'threads' | 'onFault'> = {
  runningLimit: 14,
  queueLimit: 4_096,
  ownerShare: 0.5,
  memoryLimit: DEFAULT_MEMORY_LIMIT,
  heapMb: 512,
  idleMs: 60_000,
};

/** Length of `0x` and a function selector in hex, characters. */
const SELECTOR_END = 10;

/**
 * Runs executions. An execution starts on the calling thread. Most executions end on the calling thread within one slice. If one slice is not enough,
 * the execution restarts on a thread for heavy calls. A call whose shape was repeatedly heavy starts directly on a thread for heavy calls.
 */
export class ExecutionPool {
  readonly #heavyCalls: HeavyCalls;
  readonly #firstSlices = new FirstSlices();
  readonly #onFault: (fault: string) => void;
  /** Memory limit of one execution, bytes. */
  readonly memoryLimit: number;
  /** Configured total gas limit of all calls of an `eth_simulateV1` request; undefined if it is not configured. */
  readonly simulationGas: bigint | undefined;
  /** Gas that executions used on the calling thread. */
  readonly meter: GasMeter = { used: 0 };
  #executions = 0;
  #inlineMs = 0;
  /** Duration of the last slice on the calling thread, milliseconds, and the number of calls that ran in this slice. */
  #sliceMs = 0;
  #callsInSlice = 1;
  #isClosed = false;

  constructor({ onFault, simulationGas, ...options }: ExecutionPoolOptions) {
    this.memoryLimit = options.memoryLimit;
    this.simulationGas = simulationGas === undefined ? undefined : BigInt(simulationGas);
    this.#onFault = onFault;
    this.#heavyCalls = new HeavyCalls(options, onFault);
  }

  /** Returns the figures for metrics. */
  describe(): EngineFigures {
    const { places, ...heavy } = this.#heavyCalls.describe();
    const inline: ExecutionPlace = {
      where: 'inline',
      executions: this.#executions,
      gas: this.meter.used,
      seconds: this.#inlineMs / 1_000,
    };
    return { places: [inline, ...places], ...heavy };
  }

  /** Number of threads for heavy calls, for metrics and tests. */
  get size(): number {
    return this.#heavyCalls.size;
  }

  /**
   * Runs a job: first for one slice on the calling thread, and then, if the slice is not enough, on a thread for heavy calls.
   * @param simulator simulator of the job's chain, for the calling thread
   * @param startedAt current time of `performance.now()`
   * @returns the job's result, synchronously if one slice was enough
   * @throws ChainError (synchronously or by rejection): the call's own failure, `timeout` after the deadline, `busy` if the queue is full or the job
   * waited in it until the deadline
   * @throws MissingState when a part of the state is unavailable
   */
  run(
    job: Job | FastPathJob,
    simulator: Simulator,
    scope: RequestScope,
    startedAt: number = performance.now(),
  ): PromiseOrValue<HexData> {
    const result = this.runHere(job, simulator, scope, startedAt);
    return result ?? this.runOnThread(job.kind === 'plain' ? toCallJob(job) : job, scope);
  }

  /** Runs a job on a thread for heavy calls, without a first slice. @throws (by rejection) the errors of `run` */
  runOnThread(job: Job, scope: RequestScope): Promise<HexData> {
    const kind = kindOf(job, scope.owner ?? '');
    return this.#heavyCalls.run(job, kind, scope, (ms) => this.#firstSlices.noteEnded(kind, ms));
  }

  /**
   * Runs a job for one slice on the calling thread.
   * @returns undefined when the slice was not enough, or is expected not to be enough
   * @throws ChainError, MissingState as `run` does
   */
  runHere(
    job: LocalJob | FastPathJob,
    simulator: Simulator,
    scope: RequestScope,
    startedAt: number,
  ): HexData | undefined {
    if (this.#isClosed) throw STOPPING;
    if (startedAt >= scope.deadline) throw WAITED_TOO_LONG;
    const { owner = '' } = scope;
    this.#firstSlices.noteOwner(owner, startedAt);
    const room = this.#heavyCalls.roomFor(owner);
    const isCalm = room !== 'none' && this.#firstSlices.isCalmAt(startedAt);
    // While no call was heavy recently, the kind of a call is not computed. For a small call, computing it takes longer than the rest of the method.
    const known = isCalm ? undefined : kindOf(job, owner);
    const beginning = known === undefined ? SLICE_MS : this.#firstSlices.choose(known, room);
    if (beginning === 'refused') throw WAITED_TOO_LONG;
    if (beginning !== 'moved') {
      let result: HexData | undefined;
      try {
        result = this.#runFirstSlice(job, simulator, startedAt, startedAt + beginning, isCalm);
      } catch (error) {
        // If a call fails or lacks state, it may have taken as long as a successful call, so its owner is charged as well.
        if (this.#sliceMs > EXPENSIVE_MS) this.#firstSlices.noteWork(owner, this.#sliceMs);
        throw error;
      }
      if (result !== undefined) {
        const ms = this.lastCallMs;
        if (known !== undefined || (ms > EXPENSIVE_MS && this.#firstSlices.isSharedAt(startedAt)))
          this.#firstSlices.noteFinished(known ?? kindOf(job, owner), ms);
        scope.endedAt = startedAt + ms;
        return result;
      }
    }
    if (beginning !== 'moved')
      this.#firstSlices.noteMoved(known ?? kindOf(job, owner), performance.now() - startedAt, beginning);
    return undefined;
  }

  /** Average duration of the calls that ran in the last slice on the calling thread, milliseconds. */
  get lastCallMs(): number {
    return this.#sliceMs / this.#callsInSlice;
  }

  /** Charges an owner for milliseconds that this thread spent on the owner's calls outside of slices. */
  charge({ owner = '' }: RequestScope, ms: number): void {
    this.#inlineMs += ms;
    if (ms > EXPENSIVE_MS) this.#firstSlices.noteWork(owner, ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#heavyCalls.close();
  }

  /** Runs a fast path call. The next calls of the same batch run in the same slice only if no call was heavy recently. */
  #runFastPath(
    { call, place, gasLimit, ahead }: FastPathJob,
    simulator: Simulator,
    endsAt: number,
    isCalm: boolean,
  ): HexData | undefined {
    if (!isCalm || ahead === undefined) return runPlainCall(simulator, call, place, gasLimit, endsAt);
    const result = runPlainCall(simulator, call, place, gasLimit, endsAt, ahead);
    if (result !== undefined && call.following !== undefined) this.#callsInSlice += ahead.count;
    return result;
  }

  /** @returns undefined when the slice is not enough */
  #runFirstSlice(
    job: LocalJob | FastPathJob,
    simulator: Simulator,
    startedAt: number,
    endsAt: number,
    isCalm: boolean,
  ): HexData | undefined {
    this.#callsInSlice = 1;
    try {
      const result =
        job.kind === 'plain'
          ? this.#runFastPath(job, simulator, endsAt, isCalm)
          : tryJob(simulator, job, endsAt);
      if (result !== undefined) this.#executions += this.#callsInSlice;
      return result;
    } catch (error) {
      this.#executions++;
      if (error instanceof ChainError || error instanceof MissingState) throw error;
      this.#onFault(String((error as Error)?.stack ?? error));
      throw new Error('the execution failed unexpectedly');
    } finally {
      this.#sliceMs = performance.now() - startedAt;
      this.#inlineMs += this.#sliceMs;
    }
  }
}

/** Runs a job for one slice. @returns undefined when the slice is not enough; the changes of the job are undone before the return */
function tryJob(simulator: Simulator, job: LocalJob, endsAt: number): HexData | undefined {
  const execution = executeJob(simulator, job);
  let step = runSlice(execution, endsAt);
  if (step.done) return step.value;
  // The loop does not pause, because the changes of one slice are undone in one or two steps.
  step = execution.return('');
  while (!step.done) step = execution.next();
  return undefined;
}

function findFirstCall({ request }: BlocksJob): CallObject | undefined {
  return request.simulation.blockStateCalls.find(({ calls = [] }) => calls.length > 0)?.calls?.[0];
}

/** Returns the kind of a call: owner, contract and function. Calls of the same owner, contract and function usually take the same time. */
function kindOf(job: LocalJob | FastPathJob, owner: string): Lane & { readonly shape: string } {
  if (job.kind === 'plain') {
    const { to, selector } = shapeOf(job.call);
    return nameKind(owner, 'call', to, selector);
  }
  const call = job.kind === 'blocks' ? findFirstCall(job) : job.request.call;
  const { to = '', data = '' } = call ?? {};
  return nameKind(owner, job.kind, to, data.slice(0, SELECTOR_END));
}

function nameKind(
  owner: string,
  kind: Job['kind'],
  to: string,
  selector: string,
): Lane & { readonly shape: string } {
  const lane = `${owner}/${to}`;
  return { owner, lane, shape: `${lane}/${kind}/${selector}` };
}
