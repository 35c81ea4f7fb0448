import { type RlpSpan, readRlpSpan } from '../primitives/rlp.ts';

/** What is found in the receipts of a block without decoding them. All arrays are views into the encoded receipts. */
export type ReceiptVisitor = {
  /** Called once for each receipt, behind its logs. */
  readonly onTransaction: (hash: Uint8Array, index: number) => void;
};

/** Position of a stored receipt's transaction hash among its fields (`encodeStoredReceipts`). */
const HASH_FIELD = 6;

/** Walks through the receipts of a block as the store has them. @throws RangeError naming what is malformed */
export function scanStoredReceipts(encoded: Uint8Array, { onTransaction }: ReceiptVisitor): void {
  const receipts = spanAt(encoded, 0, encoded.length);
  let index = 0;
  for (let at = receipts.start; at < receipts.end; index++) {
    const receipt = spanAt(encoded, at, receipts.end);
    let fieldAt = receipt.start;
    for (let field = 0; field < HASH_FIELD; field++) fieldAt = spanAt(encoded, fieldAt, receipt.end).end;
    const hash = spanAt(encoded, fieldAt, receipt.end);
    onTransaction(encoded.subarray(hash.start, hash.end), index);
    at = receipt.end;
  }
}

function spanAt(bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const span = readRlpSpan(bytes, at, limit);
  if (span === undefined || span.end > limit) throw new RangeError('rlp: stored receipts too short');
  return span;
}
