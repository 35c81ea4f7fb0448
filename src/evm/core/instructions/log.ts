/** LOG0 to LOG4. Stack: offset, size, topics. */
import { accountOfFrame } from '../frames.ts';
import { charge } from '../gas.ts';
import { addLog } from '../logs.ts';
import { halt, isStatic, memoryBase } from '../machine.ts';
import { growOver } from '../memory.ts';
import { MEMORY_LIMIT, WRITE_PROTECTION } from '../status.ts';

const BYTE_GAS: i64 = 8;

export function log(sp: usize, topicCount: u32, gas: i64): i64 {
  if (isStatic) return halt(WRITE_PROTECTION);
  let left = growOver(sp, sp - 32, gas);
  if (left < 0) return left;
  const size = <u32>load<u64>(sp - 32);
  left = charge(left, BYTE_GAS * <i64>size);
  if (left < 0) return left;
  const data = memoryBase + (size == 0 ? 0 : <usize>load<u64>(sp));
  return addLog(accountOfFrame(), sp - 64, topicCount, data, size) ? left : halt(MEMORY_LIMIT);
}
