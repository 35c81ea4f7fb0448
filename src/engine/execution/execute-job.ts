import { ChainError } from '../../chain/errors.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { refuseBlockOverrides } from '../simulation/call-environment.ts';
import { checkCall } from '../simulation/check-call.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { finishCall, startCall } from '../simulation/execute-call.ts';
import { advance, type Execution } from '../simulation/execution.ts';
import type { Simulation, Simulator } from '../simulation/simulator.ts';
import type { MemoryLease } from './execution-memory.ts';
import type { Job } from './job.ts';

/**
 * A job as work that pauses of itself; its result is a quantity or return data. However it ends, its EVM is free again: by a
 * result, an error, or being given up, after which it may pause too, until what it did is undone.
 * @param lease memory that it shares with others; without one it takes what it needs
 */
export function* executeJob(simulator: Simulator, job: Job, lease?: MemoryLease): Execution<HexData> {
  const simulation = simulator.open(job.request, job.kind);
  let isSound = true;
  try {
    const work = runJob(simulation, job);
    if (lease === undefined) return yield* work;
    for (let step = work.next(); ; step = work.next()) {
      if (step.done) return step.value;
      yield step.value;
      while (!lease.reach(simulation.memoryGrowth)) yield 'memoryAwaited';
    }
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

function* runJob(simulation: Simulation, { kind, request, gasLimit: gasCap }: Job): Execution<HexData> {
  if (request.blockOverrides !== undefined) refuseBlockOverrides(request.blockOverrides);
  if (!simulation.isPlain || request.stateOverrides !== undefined)
    yield* simulation.prepare(request.stateOverrides, kind);
  checkCall(request.call, simulation.rules.chainId);
  if (kind === 'estimate') return encodeQuantity(yield* estimateGas(simulation, gasCap));
  const running = startCall(simulation, gasCap);
  for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
  simulation.noteEnd(running);
  return finishCall(running);
}
