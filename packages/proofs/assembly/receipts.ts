/**
 * Fast path for receipts with a status whose transactions the module has verified (`IS_PLAIN`). Every member must follow from the verified
 * transaction and from the receipt's place in the list.
 */
import { BLOBS, FROM, GAS_PRICE, HAS_TO, HASH, HASH_TEXT, IS_PLAIN, isPlaced, SCRATCH, TO, TYPE, typeOf } from './block';
import { closeList, openList, writeByte, writeBytes, writeInteger, writeStrings } from './rlp';
import { ABSENT, at, decodeMember, enterList, FALSE, HAS_ITEM, INNER, isNothing, isSame, ITEM, kindOf, LIST } from './text';
import { lengthOf, Member, NO_ITEM, NO_NUMBER, nextItem, numberOf, readObject, STRING, seek, startOf } from './text';

const GAS_PER_BLOB: u64 = 131072;
/** Maximum length of a status text: `0x` and one byte. */
const STATUS_TEXT: u32 = 4;

/** Running totals of gas and logs before the current receipt. */
let gasBefore: u64 = 0;
let logsBefore: u32 = 0;

/** Sets the running totals after a receipt that the caller verified. */
export function setWalk(gas: u64, logs: u32): void {
  gasBefore = gas;
  logsBefore = logs;
}

export function walkedGas(): u64 {
  return gasBefore;
}

export function walkedLogs(): u32 {
  return logsBefore;
}

/** @param known row of the receipt's transaction */
export function isPlainReceipt(known: usize, index: u32): bool {
  const type = load<u32>(known, TYPE);
  if (load<u32>(known, IS_PLAIN) == 0 || load<u32>(known, HAS_TO) == 0) return false;
  if (!isNothing(kindOf(ITEM, Member.root)) || !isNothing(kindOf(ITEM, Member.contractAddress))) return false;
  if (!isNothing(kindOf(ITEM, Member.type)) && typeOf(ITEM) != type) return false;
  if (!isPlaced(ITEM, index)) return false;
  if (!decodeMember(ITEM, Member.transactionHash, 32, SCRATCH) || !isSame(SCRATCH, known + HASH, 32)) return false;
  if (!decodeMember(ITEM, Member.to, 20, SCRATCH) || !isSame(SCRATCH, known + TO, 20)) return false;
  if (!decodeMember(ITEM, Member.from, 20, SCRATCH) || !isSame(SCRATCH, known + FROM, 20)) return false;
  if (numberOf(ITEM, Member.effectiveGasPrice) != load<u64>(known, GAS_PRICE)) return false;
  if (!isNumberOrNothing(Member.blobGasUsed, load<u32>(known, BLOBS) * GAS_PER_BLOB)) return false;
  const gas = numberOf(ITEM, Member.cumulativeGasUsed);
  if (gas == NO_NUMBER || gas < gasBefore || numberOf(ITEM, Member.gasUsed) != gas - gasBefore) return false;
  if (kindOf(ITEM, Member.status) != STRING || kindOf(ITEM, Member.logsBloom) != STRING) return false;
  if (lengthOf(ITEM, Member.status) > STATUS_TEXT) return false;
  if (type > 0) writeByte(<u8>type);
  const list = openList();
  if (!writeInteger(startOf(ITEM, Member.status), lengthOf(ITEM, Member.status))) return false;
  if (!writeInteger(startOf(ITEM, Member.cumulativeGasUsed), lengthOf(ITEM, Member.cumulativeGasUsed))) return false;
  if (!writeBytes(startOf(ITEM, Member.logsBloom), lengthOf(ITEM, Member.logsBloom))) return false;
  if (kindOf(ITEM, Member.logs) != LIST) return false;
  const logs = writeLogs(startOf(ITEM, Member.logs), index);
  if (logs < 0) return false;
  closeList(list);
  gasBefore = gas;
  logsBefore += logs;
  return true;
}

@inline
function isNumberOrNothing(member: u32, value: u64): bool {
  return isNothing(kindOf(ITEM, member)) || numberOf(ITEM, member) == value;
}

/** Writes the logs of a receipt. @returns number of logs; -1 if a log has unusual or wrong members */
function writeLogs(list: usize, index: u32): i32 {
  if (!enterList(list)) return -1;
  const start = openList();
  let logs: i32 = 0;
  let found = nextItem(true);
  for (; found == HAS_ITEM; found = nextItem(false)) {
    if (!readObject(INNER)) return -1;
    const end = at;
    if (!isPlainLog(index, logsBefore + logs)) return -1;
    seek(end);
    logs++;
  }
  closeList(start);
  return found == NO_ITEM ? logs : -1;
}

function isPlainLog(index: u32, logIndex: u32): bool {
  if (!isPlaced(INNER, index)) return false;
  const removed = kindOf(INNER, Member.removed);
  if (removed != ABSENT && removed != FALSE) return false;
  if (numberOf(INNER, Member.logIndex) != logIndex) return false;
  if (kindOf(INNER, Member.transactionHash) != STRING || lengthOf(INNER, Member.transactionHash) != HASH_TEXT) return false;
  if (!isSame(startOf(INNER, Member.transactionHash), startOf(ITEM, Member.transactionHash), HASH_TEXT)) return false;
  if (kindOf(INNER, Member.address) != STRING || kindOf(INNER, Member.data) != STRING) return false;
  if (kindOf(INNER, Member.topics) != LIST) return false;
  const list = openList();
  if (!writeBytes(startOf(INNER, Member.address), lengthOf(INNER, Member.address))) return false;
  if (writeStrings(startOf(INNER, Member.topics)) < 0) return false;
  if (!writeBytes(startOf(INNER, Member.data), lengthOf(INNER, Member.data))) return false;
  closeList(list);
  return true;
}
