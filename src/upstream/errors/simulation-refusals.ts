import type { SimulationRefusal } from '../../chain/errors.ts';
import type { NodeError } from '../node-call.ts';

/** Codes of execution-apis for `eth_simulateV1`. */
const REFUSALS: ReadonlyMap<number, SimulationRefusal> = new Map([
  [-38_010, 'nonceTooLow'],
  [-38_011, 'nonceTooHigh'],
  [-38_012, 'feeCapTooLow'],
  [-38_013, 'intrinsicGas'],
  [-38_014, 'insufficientFunds'],
  [-38_015, 'blockGasLimit'],
  [-38_020, 'blockNumberOrder'],
  [-38_021, 'blockTimestampOrder'],
  [-38_025, 'initCodeSize'],
  [-38_026, 'simulationLimit'],
]);
const INTERNAL = -32_603;
/** How geth and those that follow it begin what has no code of its own. */
const INVALID_CALL = /^err: /;

/** Why a node refuses a simulated block or transaction; undefined where its error says something else. */
export function findRefusal({ code, message }: NodeError, method: string): SimulationRefusal | undefined {
  if (method !== 'eth_simulateV1') return undefined;
  return (
    REFUSALS.get(code) ?? (code === INTERNAL && INVALID_CALL.test(message) ? 'invalidSimulation' : undefined)
  );
}
