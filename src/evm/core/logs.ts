/** Logs of the running transaction: address (32), number of topics (4), size of data (4), topics, data; aligned to 8. */
import { copyBytes } from './bytes.ts';
import { LOGS_END } from './layout.ts';
import { logCount, logsEnd, setLogs } from './machine.ts';
import { copyWord } from './words/word.ts';

const HEAD_SIZE: usize = 40;

/** @param topics the first topic's stack word; the others lie below it. False: the region is full */
export function addLog(address: usize, topics: usize, topicCount: u32, data: usize, size: u32): bool {
  const log = logsEnd;
  const topicsSize = <usize>topicCount << 5;
  if (<u64>log + HEAD_SIZE + topicsSize + size + 8 > <u64>LOGS_END) return false;
  copyWord(log, address);
  store<u32>(log, topicCount, 32);
  store<u32>(log, size, 36);
  for (let i: u32 = 0; i < topicCount; i++) copyWord(log + HEAD_SIZE + (<usize>i << 5), topics - (<usize>i << 5));
  copyBytes(log + HEAD_SIZE + topicsSize, data, size);
  setLogs((log + HEAD_SIZE + topicsSize + size + 7) & ~7, logCount + 1);
  return true;
}
