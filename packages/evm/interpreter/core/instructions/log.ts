/** LOG0 to LOG4. Stack, from the top: offset and size of the data, topics. */
import { accountOfFrame } from '../frames.ts';
import { addLog } from '../logs.ts';
import { halt, isStatic, memoryBase } from '../machine.ts';
import { growOver } from '../memory.ts';
import { MEMORY_LIMIT, WRITE_PROTECTION } from '../generated/status.ts';

/** Gas per log and per topic. The gas of a log is not static, because geth computes the memory price before it charges the gas of the log. */
const LOG_GAS: i64 = 375;
const BYTE_GAS: i64 = 8;

export function log(sp: usize, topicCount: u32, gas: i64): i64 {
  if (isStatic) return halt(WRITE_PROTECTION);
  const bytes = load<u64>(sp - 32);
  const left = growOver(sp, sp - 32, LOG_GAS * <i64>(topicCount + 1) + BYTE_GAS * <i64>bytes, gas);
  if (left < 0) return left;
  const size = <u32>bytes;
  const data = memoryBase + (size == 0 ? 0 : <usize>load<u64>(sp));
  return addLog(accountOfFrame(), sp - 64, topicCount, data, size) ? left : halt(MEMORY_LIMIT);
}
