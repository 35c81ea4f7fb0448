import { type RlpSpan, readRlpSpan } from '../primitives/rlp.ts';

/** What is found in the receipts of a block without decoding them. Positions are those in the encoded receipts. */
export type ReceiptVisitor = {
  /** Called once for each receipt, behind its logs, with where the hash (32) begins. */
  readonly onTransaction: (hashAt: number, index: number) => void;
  /** Called for each log with its index in the block and where it is: list [address, topics, data]. */
  readonly onLog: (span: RlpSpan, logIndex: number) => void;
};

/** Fields of a stored receipt (`encodeStoredReceipts`). */
const LOGS_FIELD = 4;
const HASH_FIELD = 6;

/** Walks through the receipts of a block as the store has them. @throws RangeError naming what is malformed */
export function scanStoredReceipts(encoded: Uint8Array, { onTransaction, onLog }: ReceiptVisitor): void {
  const receipts = spanAt(encoded, 0, encoded.length);
  let logIndex = 0;
  let index = 0;
  for (let at = receipts.start; at < receipts.end; index++) {
    const receipt = spanAt(encoded, at, receipts.end);
    const logs = fieldOf(encoded, receipt, LOGS_FIELD);
    for (let logAt = logs.start; logAt < logs.end; logIndex++) {
      const log = spanAt(encoded, logAt, logs.end);
      onLog(log, logIndex);
      logAt = log.end;
    }
    let hashAt = logs.end;
    for (let field = LOGS_FIELD + 1; field < HASH_FIELD; field++) {
      hashAt = spanAt(encoded, hashAt, receipt.end).end;
    }
    onTransaction(spanAt(encoded, hashAt, receipt.end).start, index);
    at = receipt.end;
  }
}

/** What a log is found by, given where the log is. Positions are of the payloads: 20 bytes, 32 bytes each. */
export function scanLogTerms(
  encoded: Uint8Array,
  { start, end }: RlpSpan,
  onAddress: (at: number) => void,
  onTopic: (at: number, position: number) => void,
): void {
  const address = spanAt(encoded, start, end);
  onAddress(address.start);
  const topics = spanAt(encoded, address.end, end);
  let position = 0;
  for (let at = topics.start; at < topics.end; position++) {
    const topic = spanAt(encoded, at, topics.end);
    onTopic(topic.start, position);
    at = topic.end;
  }
}

function fieldOf(bytes: Uint8Array, list: RlpSpan, field: number): RlpSpan {
  let span = spanAt(bytes, list.start, list.end);
  for (let i = 0; i < field; i++) span = spanAt(bytes, span.end, list.end);
  return span;
}

function spanAt(bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const span = readRlpSpan(bytes, at, limit);
  if (span === undefined || span.end > limit) throw new RangeError('rlp: stored receipts too short');
  return span;
}
