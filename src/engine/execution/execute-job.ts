import { ChainError } from '../../chain/errors.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
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

/** What takes memory while work is done. */
type MemoryUser = { readonly memoryGrowth: number };

/**
 * A job as work that pauses of itself; its result is a quantity, return data, or JSON. However it ends, its EVM is free again: by a
 * result, an error, or being given up, after which it may pause too, until what it did is undone.
 * @throws MissingState (from `next`) where a part of the state is not at hand
 * @param lease memory that it shares with others; without one it takes what it needs
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
    // Not by a generator of its own: most calls are so short that it would be a tenth of their time.
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
    // After a fault of this program it is unknown what is in it: that one is not used again.
    if (isSound) {
      while (!simulation.undoPiece()) yield 'sliceUsed';
      simulator.close(simulation);
    }
    lease?.end();
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
    return yield* within(run.execute(), run, lease);
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    throw error;
  } finally {
    run.close();
    lease?.end();
  }
}

/** The work, pausing on for as long as there is no memory for what it has grown to. */
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
