/** Charges the costs of an instruction that the static gas of its basic block does not include. */
import { halt, reserve, setReserve } from './machine.ts';
import { OUT_OF_GAS } from './generated/status.ts';

/**
 * @param gas remaining gas of the slice
 * @param cost at least 0
 * @returns remaining gas; negative: the frame halts
 */
@inline
export function charge(gas: i64, cost: i64): i64 {
  const left = gas - cost;
  return left >= 0 ? left : borrow(left);
}

/** Takes missing gas from the reserve, the frame's gas beyond the slice: the end of a slice never interrupts an instruction. */
export function borrow(left: i64): i64 {
  if (reserve + left < 0) return halt(OUT_OF_GAS);
  setReserve(reserve + left);
  return 0;
}
