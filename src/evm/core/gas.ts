/** Paying for what an instruction costs beyond its block's sum. */
import { halt, reserve, setReserve } from './machine.ts';
import { OUT_OF_GAS } from './generated/status.ts';

/**
 * @param gas what is left of the slice
 * @param cost at least 0
 * @returns gas left; negative: the frame halts
 */
@inline
export function charge(gas: i64, cost: i64): i64 {
  const left = gas - cost;
  return left >= 0 ? left : borrow(left);
}

/** Takes what is missing from beyond the slice: instructions are never cut in half. */
export function borrow(left: i64): i64 {
  if (reserve + left < 0) return halt(OUT_OF_GAS);
  setReserve(reserve + left);
  return 0;
}
