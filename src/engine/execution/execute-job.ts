import { bytesToHex } from '../../primitives/hex.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { estimateGas } from '../simulation/estimate-gas.ts';
import { executeCall } from '../simulation/execute-call.ts';
import type { Execution } from '../simulation/execution.ts';
import type { Simulator } from '../simulation/simulator.ts';
import type { Job } from './job.ts';

/** A job as work that pauses of itself; its result is hex. */
export function executeJob(simulator: Simulator, { kind, request, gasLimit }: Job): Execution<string> {
  return kind === 'call'
    ? simulator.simulate(request, function* (simulation) {
        return bytesToHex(yield* executeCall(simulation, gasLimit));
      })
    : simulator.simulate(request, function* (simulation) {
        return encodeQuantity(yield* estimateGas(simulation, gasLimit));
      });
}
