/** EXP: its cost grows with the byte length of the exponent (EIP-160). */
import { charge } from '../gas.ts';
import { expByteGas } from '../rules.ts';
import { exp as power, expByteLength } from '../words/power.ts';

export function exp(sp: usize, gas: i64): i64 {
  const left = charge(gas, expByteGas * <i64>expByteLength(sp - 32));
  if (left >= 0) power(sp);
  return left;
}
