/** Logs of the running transaction (LOG_FIELD of evm/core-interface). */
import { copyBytes } from './bytes.ts';
import { LOG_DATA_SIZE, LOG_IS_TRANSFER, LOG_NUMBER, LOG_TOPIC_COUNT, LOG_TOPICS, LOGS_END } from './generated/layout.ts';
import { logCount, logsEnd, recorded, setLogs } from './machine.ts';
import { copyWord, storeBigEndian } from './words/word.ts';

const TRANSFER_SIZE: usize = LOG_TOPICS + 96 + 32;

/** `Transfer(address,address,uint256)` and ERC-7528's address of ether, as words. */
const TRANSFER_TOPIC: usize = memory.data<u64>([0x28f55a4df523b3ef, 0x952ba7f163c4a116, 0x69c2b068fc378daa, 0xddf252ad1be2c89b]);
const ETHER: usize = memory.data<u64>([0xeeeeeeeeeeeeeeee, 0xeeeeeeeeeeeeeeee, 0xeeeeeeee, 0]);

/** Where anything is recorded, logs are numbered in the order in which they came, those that were undone included. */
let nextNumber: u32 = 0;
export function restartLogNumbers(): void { nextNumber = 0; }
/** A transfer failed before its frame began: it has had a number. */
export function skipLogNumber(): void { nextNumber++; }

/** @param topics the first topic's stack word; the others lie below it. False: the region is full */
export function addLog(address: usize, topics: usize, topicCount: u32, data: usize, size: u32): bool {
  const log = logsEnd;
  const topicsSize = <usize>topicCount << 5;
  if (<u64>log + LOG_TOPICS + topicsSize + size + 8 > <u64>LOGS_END) return false;
  copyWord(log, address);
  if (recorded != 0) store<u32>(log, nextNumber++, LOG_NUMBER);
  store<u32>(log, topicCount, LOG_TOPIC_COUNT);
  store<u32>(log, size, LOG_DATA_SIZE);
  for (let i: u32 = 0; i < topicCount; i++) copyWord(log + LOG_TOPICS + (<usize>i << 5), topics - (<usize>i << 5));
  copyBytes(log + LOG_TOPICS + topicsSize, data, size);
  setLogs((log + LOG_TOPICS + topicsSize + size + 7) & ~7, logCount + 1);
  return true;
}

export function hasRoomForTransfer(): bool {
  return logsEnd + TRANSFER_SIZE + 8 <= LOGS_END;
}

/** A transfer of value as a log, for which there is room. The accounts' entries begin with their addresses. */
export function addTransfer(from: usize, to: usize, value: usize): void {
  const log = logsEnd;
  copyWord(log, ETHER);
  store<u32>(log, nextNumber++, LOG_NUMBER);
  store<u32>(log, 1, LOG_IS_TRANSFER);
  store<u32>(log, 3, LOG_TOPIC_COUNT);
  store<u32>(log, 32, LOG_DATA_SIZE);
  copyWord(log + LOG_TOPICS, TRANSFER_TOPIC);
  copyWord(log + LOG_TOPICS + 32, from);
  copyWord(log + LOG_TOPICS + 64, to);
  storeBigEndian(log + LOG_TOPICS + 96, value);
  setLogs(log + TRANSFER_SIZE, logCount + 1);
}
