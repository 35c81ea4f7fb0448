import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import { isMembers, readInteger, UnreadableMember, writeBytes, writeInteger } from './members.ts';

/** Transaction type of an OP Stack deposit. From Canyon on, the receipt of a deposit has two more hashed fields. */
const DEPOSIT_TYPE = 0x7e;
const ROOT = /^0x[0-9a-fA-F]{64}$/;

/**
 * Encodes a receipt in the form of the receipts trie.
 * @param type type of the transaction
 * @throws UnreadableMember if a hashed member is missing or malformed
 */
export function encodeTrieReceipt(receipt: Members, type: number, writer: RlpWriter): Uint8Array {
  const mark = writer.mark;
  try {
    if (type === DEPOSIT_TYPE && receipt['depositReceiptVersion'] != null) {
      writeInteger(writer, receipt['depositReceiptVersion'], 'depositReceiptVersion');
      writeInteger(writer, receipt['depositNonce'], 'depositNonce');
    }
    writeLogs(writer, receipt['logs']);
    writeBytes(writer, receipt['logsBloom'], 'logsBloom');
    writeInteger(writer, receipt['cumulativeGasUsed'], 'cumulativeGasUsed');
    // Receipts before Byzantium contain the state root. Some nodes return a status in these receipts as well.
    const { root } = receipt;
    if (typeof root === 'string' && ROOT.test(root)) writeBytes(writer, root, 'root');
    else writeStatus(writer, receipt['status']);
    writer.list(mark);
    if (type !== 0) writer.byte(type);
    return writer.take(mark);
  } catch (error) {
    writer.rewind(mark);
    throw error;
  }
}

/** Writes a status of at most one byte, so that a state root cannot pass as a status. */
function writeStatus(writer: RlpWriter, status: unknown): void {
  if (readInteger(status, 'status') > 0xffn) throw new UnreadableMember('status');
  writeInteger(writer, status, 'status');
}

function writeLogs(writer: RlpWriter, logs: unknown): void {
  if (!Array.isArray(logs)) throw new UnreadableMember('logs');
  const mark = writer.mark;
  for (let i = logs.length - 1; i >= 0; i--) {
    const log: unknown = logs[i];
    if (!isMembers(log)) throw new UnreadableMember('logs');
    const { address, topics, data } = log;
    const logMark = writer.mark;
    writeBytes(writer, data, 'data');
    writeTopics(writer, topics);
    writeBytes(writer, address, 'address');
    writer.list(logMark);
  }
  writer.list(mark);
}

function writeTopics(writer: RlpWriter, topics: unknown): void {
  if (!Array.isArray(topics)) throw new UnreadableMember('topics');
  const mark = writer.mark;
  for (let i = topics.length - 1; i >= 0; i--) writeBytes(writer, topics[i], 'topics');
  writer.list(mark);
}
