import { ChainError } from '../../chain/errors.ts';
import { StateLimitError } from '../../evm/world-state.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { finishCall, startCall } from '../simulation/execute-call.ts';
import { advance, type Execution } from '../simulation/execution.ts';
import type { Simulation, Simulator } from '../simulation/simulator.ts';
import type { Job } from './job.ts';
import { runSlice } from './run-slice.ts';

/**
 * A job as work that pauses of itself; its result is hex. However it ends, its EVM is free again: by a result, an error, or
 * being given up.
 */
export function* executeJob(simulator: Simulator, { kind, request, gasLimit }: Job): Execution<string> {
  const simulation = simulator.open(request);
  let failure: unknown;
  try {
    if (request.stateOverrides !== undefined) simulation.override(request.stateOverrides);
    if (kind === 'estimate') return encodeQuantity(yield* estimateGas(simulation, gasLimit));
    const running = startCall(simulation, gasLimit);
    for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
    return finishCall(running);
  } catch (error) {
    failure = toFailure(error);
    throw failure;
  } finally {
    close(simulator, simulation, failure);
  }
}

/**
 * A job's result when it can be had in a slice; undefined when it was begun in vain. Small calls are what most jobs are,
 * and a generator would be a tenth of their cost.
 * @param endsAt on the clock of `performance.now()`
 */
export function tryJob(simulator: Simulator, job: Job, endsAt: number): string | undefined {
  if (job.kind === 'estimate') {
    const execution = executeJob(simulator, job);
    const step = runSlice(execution, endsAt);
    if (step.done) return step.value;
    execution.return('');
    return undefined;
  }
  const { request } = job;
  const simulation = simulator.open(request);
  let failure: unknown;
  try {
    if (request.stateOverrides !== undefined) simulation.override(request.stateOverrides);
    const running = startCall(simulation, job.gasLimit);
    for (let pause = advance(running); pause !== undefined; pause = advance(running)) {
      if (pause === 'longStepAhead' || performance.now() >= endsAt) return undefined;
    }
    return finishCall(running);
  } catch (error) {
    failure = toFailure(error);
    throw failure;
  } finally {
    close(simulator, simulation, failure);
  }
}

function toFailure(error: unknown): unknown {
  return error instanceof StateLimitError ? new ChainError('failed', error.message) : error;
}

/** After a fault of this program nobody knows what is in its EVM: that one is not used again. */
function close(simulator: Simulator, simulation: Simulation, failure: unknown): void {
  if (failure === undefined || failure instanceof ChainError) simulator.close(simulation);
}
