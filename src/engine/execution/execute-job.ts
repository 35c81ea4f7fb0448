import { ChainError } from '../../chain/errors.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { createAccessList } from '../simulation/access-list.ts';
import { BlocksRun } from '../simulation/blocks/blocks-run.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { finishCall, startCall } from '../simulation/execute-call.ts';
import { advance, type Execution } from '../simulation/execution.ts';
import type { Simulation, Simulator } from '../simulation/simulator.ts';
import type { MemoryLease } from './execution-memory.ts';
import type { BlocksJob, CallJob, Job } from './job.ts';

/**
 * A job as work that pauses of itself; its result is a quantity or return data. However it ends, its EVM is free again: by a
 * result, an error, or being given up, after which it may pause too, until what it did is undone.
 * @param lease memory that it shares with others; without one it takes what it needs
 */
export function executeJob(simulator: Simulator, job: Job, lease?: MemoryLease): Execution<HexData> {
  return job.kind === 'blocks' ? executeBlocks(simulator, job, lease) : executeCall(simulator, job, lease);
}

function* executeCall(
  simulator: Simulator,
  job: CallJob,
  lease: MemoryLease | undefined,
): Execution<HexData> {
  const simulation = simulator.open(job.request);
  let isSound = true;
  try {
    return yield* leaseMemory(runJob(simulation, job), () => simulation.memoryGrowth, lease);
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    isSound = error instanceof ChainError;
    throw error;
  } finally {
    // After a fault of this program it is unknown what is in it: that one is not used again.
    if (isSound) {
      while (!simulation.undoPiece()) yield 'sliceUsed';
      simulator.close(simulation);
    }
    lease?.end();
  }
}

/** Work that waits between two pieces until it may have the memory that it takes. */
function* leaseMemory(
  work: Execution<HexData>,
  measure: () => number,
  lease: MemoryLease | undefined,
): Execution<HexData> {
  if (lease === undefined) return yield* work;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    yield step.value;
    while (!lease.reach(measure())) yield 'memoryAwaited';
  }
}

/** Blocks are executed on a state of their own, which is forgotten as a whole. */
function* executeBlocks(
  simulator: Simulator,
  { request, gasLimit }: BlocksJob,
  lease: MemoryLease | undefined,
): Execution<HexData> {
  const run = new BlocksRun(simulator, request, gasLimit);
  try {
    return yield* leaseMemory(run.execute(), () => run.memory, lease);
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    throw error;
  } finally {
    run.close();
    lease?.end();
  }
}

function* runJob(
  simulation: Simulation,
  { kind, request, gasLimit, suggestedTip = 0n }: CallJob,
): Execution<HexData> {
  if (!simulation.isPlain || request.stateOverrides !== undefined)
    yield* simulation.prepare(request.stateOverrides, { areFixed: kind === 'accessList' });
  if (kind === 'accessList') return yield* createAccessList(simulation, gasLimit, suggestedTip);
  if (kind === 'estimate') return encodeQuantity(yield* estimateGas(simulation, gasLimit));
  const running = startCall(simulation, gasLimit);
  for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
  simulation.noteEnd(running);
  return finishCall(running);
}
