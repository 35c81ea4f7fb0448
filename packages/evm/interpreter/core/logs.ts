/** Logs of the running transaction (LOG_FIELD of interpreter/core-interface). */
import { copyBytes } from './bytes.ts';
import { EIP7708, has } from './rules.ts';
import { LOG_DATA_SIZE, LOG_IS_TRANSFER, LOG_NUMBER, LOG_TOPIC_COUNT, LOG_TOPICS, LOGS_END, RECORD_TRANSFERS } from './generated/layout.ts';
import { logCount, logsEnd, recorded, setLogs } from './machine.ts';
import { copyWord, storeBigEndian } from './words/word.ts';

const TRANSFER_SIZE: usize = LOG_TOPICS + 96 + 32;

/** Topic `Transfer(address,address,uint256)` and ERC-7528's address of ether, as words. */
const TRANSFER_TOPIC: usize = memory.data<u64>([0x28f55a4df523b3ef, 0x952ba7f163c4a116, 0x69c2b068fc378daa, 0xddf252ad1be2c89b]);
const ETHER: usize = memory.data<u64>([0xeeeeeeeeeeeeeeee, 0xeeeeeeeeeeeeeeee, 0xeeeeeeee, 0]);
/** SYSTEM_ADDRESS of EIP-4788. */
const SYSTEM: usize = memory.data<u64>([0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffff, 0]);

/** While anything is recorded, logs are numbered in order of emission, including reverted ones. */
let nextNumber: u32 = 0;
export function restartLogNumbers(): void { nextNumber = 0; }
/** Skips the log number of a recorded transfer that failed before its frame began. */
export function skipTransfer(): void { if (!has(EIP7708)) nextNumber++; }

/** Adds a log. @param topics address of the first topic's stack word; the other topics are below. @returns false when the region is full */
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

/** Whether value transfers emit logs. */
export function logsTransfers(): bool {
  return has(EIP7708) || (recorded & RECORD_TRANSFERS) != 0;
}

export function hasRoomForTransfer(): bool {
  return logsEnd + TRANSFER_SIZE + 8 <= LOGS_END;
}

/**
 * Adds a log of a value transfer: a log of the protocol (EIP-7708), or a log that is only recorded. The caller has checked that the log fits. `from`
 * and `to` are entries of accounts, which begin with the address.
 */
export function addTransfer(from: usize, to: usize, value: usize): void {
  const isProtocol = has(EIP7708);
  if (isProtocol && from == to) return;
  const log = logsEnd;
  copyWord(log, isProtocol ? SYSTEM : ETHER);
  if (recorded != 0) store<u32>(log, nextNumber++, LOG_NUMBER);
  store<u32>(log, isProtocol ? 0 : 1, LOG_IS_TRANSFER);
  store<u32>(log, 3, LOG_TOPIC_COUNT);
  store<u32>(log, 32, LOG_DATA_SIZE);
  copyWord(log + LOG_TOPICS, TRANSFER_TOPIC);
  copyWord(log + LOG_TOPICS + 32, from);
  copyWord(log + LOG_TOPICS + 64, to);
  storeBigEndian(log + LOG_TOPICS + 96, value);
  setLogs(log + TRANSFER_SIZE, logCount + 1);
}
