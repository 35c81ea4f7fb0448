import { ChainError } from '../../chain/errors.ts';
import type { CallObject } from '../../chain/requests.ts';
import type { EngineFigures, ExecutionPlace } from '../../observe/sources.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { DEFAULT_MEMORY_LIMIT } from '../create-evm.ts';
import type { GasMeter } from '../simulation/gas-meter.ts';
import { runPlainCall } from '../simulation/plain-call.ts';
import type { Simulator } from '../simulation/simulator.ts';
import { MissingState } from '../state/missing-state.ts';
import { executeJob } from './execute-job.ts';
import { EXPENSIVE_MS, FirstSlices } from './first-slices.ts';
import { HeavyCalls, type HeavyCallsOptions, STOPPING, WAITED_TOO_LONG } from './heavy-calls.ts';
import type { BlocksJob, Job, LocalJob } from './job.ts';
import type { Lane } from './next-task.ts';
import { type PlainJob, shapeOf, toCallJob } from './plain-job.ts';
import { runSlice, SLICE_MS } from './run-slice.ts';

export type ExecutionPoolOptions = HeavyCallsOptions & {
  /** Gas of all calls of a simulation together; absent: 10 times the gas limit of the head, as for a single call. */
  readonly simulationGas?: number;
  /** Called with faults of this program; never with calls that fail by themselves. */
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

/** `0x` and the four bytes that choose a function. */
const SELECTOR_END = 10;

/**
 * Runs executions. They begin on the thread that asks, and most end there within a slice; one that does not begins anew
 * on a thread for heavy calls. What proves heavy again and again begins there at once.
 */
export class ExecutionPool {
  readonly #heavyCalls: HeavyCalls;
  readonly #firstSlices = new FirstSlices();
  readonly #onFault: (fault: string) => void;
  /** Bytes of memory that one execution may have. */
  readonly memoryLimit: number;
  /** Gas of all calls of a simulation together, where that is set. */
  readonly simulationGas: bigint | undefined;
  /** Of what runs on the calling thread. */
  readonly meter: GasMeter = { used: 0 };
  #executions = 0;
  #inlineMs = 0;
  /** Of the last first slice, and how many calls were run in it. */
  #sliceMs = 0;
  #callsInSlice = 1;
  #isClosed = false;

  constructor({ onFault, simulationGas, ...options }: ExecutionPoolOptions) {
    this.memoryLimit = options.memoryLimit;
    this.simulationGas = simulationGas === undefined ? undefined : BigInt(simulationGas);
    this.#onFault = onFault;
    this.#heavyCalls = new HeavyCalls(options, onFault);
  }

  /** What metrics show. */
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

  /** Threads for heavy calls that there are now; for metrics and tests. */
  get size(): number {
    return this.#heavyCalls.size;
  }

  /**
   * @param simulator of the job's chain, for the calling thread
   * @param startedAt the present, on the clock of `performance.now()`
   * @returns the job's result: at once when a slice was enough
   * @throws ChainError (at once or by rejection): the call's own failure, `timeout` past the deadline, `busy` when it
   * waited until then or may not even wait
   * @throws MissingState where a part of the state is not at hand
   */
  run(
    job: Job | PlainJob,
    simulator: Simulator,
    scope: RequestScope,
    startedAt: number = performance.now(),
  ): PromiseOrValue<HexData> {
    const result = this.runHere(job, simulator, scope, startedAt);
    return result ?? this.runOnThread(job.kind === 'plain' ? toCallJob(job) : job, scope);
  }

  /**
   * The same on a thread for heavy calls, without a slice before.
   * @throws (rejects with) the same
   */
  runOnThread(job: Job, scope: RequestScope): Promise<HexData> {
    const kind = kindOf(job, scope.owner ?? '');
    return this.#heavyCalls.run(job, kind, scope, (ms) => this.#firstSlices.noteEnded(kind, ms));
  }

  /**
   * The same for a slice on this thread.
   * @returns undefined where that is not enough, and where it is known that it would not be
   */
  runHere(
    job: LocalJob | PlainJob,
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
    // Naming its kind would cost a small call more than the rest of this.
    const known = isCalm ? undefined : kindOf(job, owner);
    const beginning = known === undefined ? SLICE_MS : this.#firstSlices.choose(known, room);
    if (beginning === 'refused') throw WAITED_TOO_LONG;
    if (beginning !== 'moved') {
      let result: HexData | undefined;
      try {
        result = this.#runFirstSlice(job, simulator, startedAt, startedAt + beginning, isCalm);
      } catch (error) {
        // A call that fails, or lacks a part of its state, has taken as much as one with a result.
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

  /** What each call of the last first slice took, milliseconds. */
  get lastCallMs(): number {
    return this.#sliceMs / this.#callsInSlice;
  }

  /** Charges an owner for work on its calls on this thread that was not a slice. */
  charge({ owner = '' }: RequestScope, ms: number): void {
    this.#inlineMs += ms;
    if (ms > EXPENSIVE_MS) this.#firstSlices.noteWork(owner, ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#heavyCalls.close();
  }

  /** Those behind it in its batch run ahead of their turn only while no call is heavy. */
  #runPlain(
    { call, place, gasLimit, ahead }: PlainJob,
    simulator: Simulator,
    endsAt: number,
    isCalm: boolean,
  ): HexData | undefined {
    if (!isCalm || ahead === undefined) return runPlainCall(simulator, call, place, gasLimit, endsAt);
    const result = runPlainCall(simulator, call, place, gasLimit, endsAt, ahead);
    if (result !== undefined && call.following !== undefined) this.#callsInSlice += ahead.count;
    return result;
  }

  /** @returns undefined when it is not enough */
  #runFirstSlice(
    job: LocalJob | PlainJob,
    simulator: Simulator,
    startedAt: number,
    endsAt: number,
    isCalm: boolean,
  ): HexData | undefined {
    this.#callsInSlice = 1;
    try {
      const result =
        job.kind === 'plain'
          ? this.#runPlain(job, simulator, endsAt, isCalm)
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

/** Runs a job for a slice. @returns undefined when that is not enough, and nothing is left of it then */
function tryJob(simulator: Simulator, job: LocalJob, endsAt: number): HexData | undefined {
  const execution = executeJob(simulator, job);
  let step = runSlice(execution, endsAt);
  if (step.done) return step.value;
  // What it did in a slice is undone in one or two pieces.
  step = execution.return('');
  while (!step.done) step = execution.next();
  return undefined;
}

function findFirstCall({ request }: BlocksJob): CallObject | undefined {
  return request.simulation.blockStateCalls.find(({ calls = [] }) => calls.length > 0)?.calls?.[0];
}

/** What a call has in common with others: of its caller and contract, and of the same function as well. */
function kindOf(job: LocalJob | PlainJob, owner: string): Lane & { readonly shape: string } {
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
