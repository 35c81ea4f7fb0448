import { LOG_FIELD } from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import type { ExecutionLog } from './message.ts';

/** Reads the logs of the finished message, in order. */
export function readLogs(core: CoreExports, memory: CoreMemory): ExecutionLog[] {
  const logs: ExecutionLog[] = [];
  let at = core.logsPointer();
  for (let n = core.logsCount(); n > 0; n--) {
    const topicCount = memory.view.getUint32(at + LOG_FIELD.topicCount, true);
    const size = memory.view.getUint32(at + LOG_FIELD.dataSize, true);
    const data = at + LOG_FIELD.topics + 32 * topicCount;
    logs.push({
      address: memory.readWord(at, 20),
      topics: Array.from({ length: topicCount }, (_, i) => memory.readWord(at + LOG_FIELD.topics + 32 * i)),
      data: memory.slice(data, size),
      number: memory.view.getUint32(at + LOG_FIELD.number, true),
      isTransfer: memory.view.getUint32(at + LOG_FIELD.isTransfer, true) !== 0,
    });
    at = (data + size + 7) & ~7;
  }
  return logs;
}
