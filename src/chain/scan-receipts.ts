import { type RlpSpan, readRlpSpan } from '../../packages/ethereum/primitives/rlp.ts';

/** Callbacks for scanning a block's stored receipts without decoding them. Positions are offsets in the encoded receipts. */
export type ReceiptVisitor = {
  /** Called once per receipt, after its logs, with the offset of the transaction hash (32 bytes). */
  readonly onTransaction: (hashAt: number, index: number) => void;
  /** Called for each log. The span covers the RLP list [address, topics, data]; `logIndex` is the index in the block. */
  readonly onLog: (span: RlpSpan, logIndex: number) => void;
};

/** Indexes of fields in the RLP list of a stored receipt (`encodeStoredReceipts`). */
const LOGS_FIELD = 4;
const HASH_FIELD = 6;

/** Scans the stored receipts of a block. @throws RangeError that names the malformed part */
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

/**
 * Reports the payload offsets of the indexed terms in a log: the address (20 bytes) and the topics (32 bytes each).
 * @throws RangeError that names the malformed part
 */
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
