import type { SimulationRefusal } from '../../chain/errors.ts';
import type { NodeError } from '../node-call.ts';

/** Error codes of execution-apis for `eth_simulateV1`. */
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
/** Prefix used by geth and its followers for errors without a code of their own. */
const INVALID_CALL = /^err: /;

/** Returns why a node refuses a simulated block or transaction; undefined for other errors. */
export function findRefusal({ code, message }: NodeError, method: string): SimulationRefusal | undefined {
  if (method !== 'eth_simulateV1') return undefined;
  return (
    REFUSALS.get(code) ?? (code === INTERNAL && INVALID_CALL.test(message) ? 'invalidSimulation' : undefined)
  );
}
