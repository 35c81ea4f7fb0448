import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { StateLimitError } from '../../../../packages/evm/interpreter/world-state.ts';
import { ChainError } from '../../../chain/errors.ts';
import { createAccessList } from '../simulation/access-list.ts';
import { BlocksRun } from '../simulation/blocks/blocks-run.ts';
import { refuseBlockOverrides } from '../simulation/call-environment.ts';
import { checkCall } from '../simulation/check-call.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { finishCall, startCall } from '../simulation/execute-call.ts';
import { advance, type Execution } from '../simulation/execution.ts';
import type { Simulator } from '../simulation/simulator.ts';
import { MissingState } from '../state/missing-state.ts';
import type { MemoryLease } from './execution-memory.ts';
import type { BlocksJob, CallJob } from './job.ts';

/** Execution that knows how much its memory has grown since its start, bytes. */
type MemoryUser = { readonly memoryGrowth: number };

/**
 * Runs a job as pausable work, whose result is a quantity, return data, or JSON. The EVM returns to the pool after a result, an error of the call, or
 * `return`. After `return`, the returned generator may still pause until the changes of the job are undone.
 * @param lease reservation of memory that the thread's executions share; without it, other executions do not limit the job's memory
 * @throws MissingState (from `next`) when a part of the state is unavailable
 */
export function executeJob(
  simulator: Simulator,
  job: BlocksJob | CallJob<unknown>,
  lease?: MemoryLease,
): Execution<HexData> {
  return job.kind === 'blocks' ? executeBlocks(simulator, job, lease) : executeCall(simulator, job, lease);
}

function* executeCall(
  simulator: Simulator,
  job: CallJob<unknown>,
  lease: MemoryLease | undefined,
): Execution<HexData> {
  const { kind, request, gasLimit, suggestedTip = 0n } = job;
  const simulation = simulator.open(request, kind);
  let isSound = true;
  try {
    if (request.blockOverrides !== undefined) refuseBlockOverrides(request.blockOverrides);
    if (!simulation.isPlain || request.stateOverrides !== undefined) {
      const preparing = simulation.prepare(request.stateOverrides, kind);
      yield* within(preparing, simulation, lease);
    }
    if (kind === 'accessList')
      return yield* within(createAccessList(simulation, gasLimit, suggestedTip), simulation, lease);
    checkCall(request.call, simulation.rules.chainId);
    if (kind === 'estimate')
      return encodeQuantity(yield* within(estimateGas(simulation, gasLimit), simulation, lease));
    // No call of `within` here: most executions are so short that a further generator would add a tenth to their time.
    const running = startCall(simulation, gasLimit);
    for (let pause = advance(running); pause !== undefined; pause = advance(running)) {
      yield pause;
      if (lease !== undefined) while (!lease.reach(simulation.memoryGrowth)) yield 'memoryAwaited';
    }
    simulation.noteEnd(running);
    return finishCall(running);
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    isSound = error instanceof ChainError || error instanceof MissingState;
    throw error;
  } finally {
    // After an internal fault, the state of the EVM is unknown, so the EVM does not return to the pool.
    if (isSound) {
      while (!simulation.undoPiece()) yield 'sliceUsed';
      simulator.close(simulation);
    }
    lease?.end();
  }
}

/** Runs a block simulation. The changes of the simulation are not undone, because its private state is discarded. */
function* executeBlocks(
  simulator: Simulator,
  { request, gasLimit }: BlocksJob,
  lease: MemoryLease | undefined,
): Execution<HexData> {
  const run = new BlocksRun(simulator, request, gasLimit);
  try {
    return yield* within(run.execute(), run, lease);
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    throw error;
  } finally {
    run.close();
    lease?.end();
  }
}

/** Runs the work, and pauses while no memory is available for its growth. */
function within<T>(work: Execution<T>, user: MemoryUser, lease: MemoryLease | undefined): Execution<T> {
  return lease === undefined ? work : awaitMemory(work, user, lease);
}

function* awaitMemory<T>(work: Execution<T>, user: MemoryUser, lease: MemoryLease): Execution<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    yield step.value;
    while (!lease.reach(user.memoryGrowth)) yield 'memoryAwaited';
  }
}
