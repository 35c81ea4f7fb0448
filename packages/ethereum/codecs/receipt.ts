import { addToBloom, BLOOM_LENGTH } from '../primitives/bloom.ts';
import { concatBytes } from '../primitives/bytes.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  encodeRlp,
  type RlpInput,
  type RlpItem,
  type RlpSpan,
  readRlpSpan,
  readWholeSpan,
  splitRlpList,
} from '../primitives/rlp.ts';
import type { TransactionType } from './transaction.ts';

export type Log = {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
};

export type Receipt = {
  readonly type: TransactionType;
  /** Before Byzantium, the state root after the transaction. Since Byzantium, the status 0n or 1n (EIP-658). */
  readonly outcome: Uint8Array | bigint;
  readonly cumulativeGasUsed: bigint;
  readonly logsBloom: Uint8Array;
  readonly logs: readonly Log[];
};

/** Receipt with sender and transaction hash, so that responses need not recompute them. */
export type StoredReceipt = Receipt & { readonly sender: Uint8Array; readonly transactionHash: Uint8Array };

export function computeLogsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  for (const { address, topics } of logs) {
    addToBloom(bloom, address);
    for (const topic of topics) addToBloom(bloom, topic);
  }
  return bloom;
}

function receiptFields({ outcome, cumulativeGasUsed, logsBloom, logs }: Receipt): RlpInput[] {
  const encodedLogs = logs.map(({ address, topics, data }) => [address, topics, data]);
  return [outcome, cumulativeGasUsed, logsBloom, encodedLogs];
}

/** Encodes a receipt in the form of the receipts trie (EIP-2718). */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = encodeRlp(receiptFields(receipt));
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload);
}

/** Encodes all receipts of a block in the stored form: the type, the receipt's fields, sender and transaction hash. */
export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return encodeRlp(
    receipts.map((receipt) => [
      BigInt(receipt.type),
      ...receiptFields(receipt),
      receipt.sender,
      receipt.transactionHash,
    ]),
  );
}

/** Decodes the log whose fields are between `start` and `end` in encoded receipts. @throws RangeError that names the malformed part */
export function decodeLogAt(encoded: Uint8Array, { start, end }: Pick<RlpSpan, 'start' | 'end'>): Log {
  const fields: RlpItem[] = [];
  for (let at = start; at < end; ) {
    const field = readRlpSpan(encoded, at, end);
    if (field === undefined || field.end > end) throw new RangeError('rlp: stored log too short');
    fields.push(decodeRlp(encoded.subarray(at, field.end)));
    at = field.end;
  }
  return logFromRlp(fields);
}

function logFromRlp(item: RlpItem): Log {
  const [address, topics, data] = asList(item, 'log');
  return {
    address: asBytes(address, 'log address', 20),
    topics: asList(topics, 'log topics').map((topic) => asBytes(topic, 'log topic', 32)),
    data: asBytes(data, 'log data'),
  };
}

function storedReceiptFromRlp(item: RlpItem): StoredReceipt {
  const fields = asList(item, 'receipt');
  const outcome = asBytes(fields[1], 'receipt outcome');
  return {
    type: Number(asInteger(fields[0], 'receipt type', 1)) as TransactionType,
    outcome: outcome.length === 32 ? outcome : asInteger(outcome, 'receipt status', 1),
    cumulativeGasUsed: asInteger(fields[2], 'receipt gas', 8),
    logsBloom: asBytes(fields[3], 'receipt bloom', BLOOM_LENGTH),
    logs: asList(fields[4], 'receipt logs').map(logFromRlp),
    sender: asBytes(fields[5], 'receipt sender', 20),
    transactionHash: asBytes(fields[6], 'receipt transaction hash', 32),
  };
}

/** Decodes all stored receipts of a block. @throws RangeError that names the malformed part */
export function decodeStoredReceipts(encoded: Uint8Array): readonly StoredReceipt[] {
  return asList(decodeRlp(encoded), 'receipts').map(storedReceiptFromRlp);
}

/** Values of a stored receipt that a JSON transaction object contains. */
export type TransactionFacts = Pick<StoredReceipt, 'sender' | 'transactionHash'>;

/** Reads sender and hash of a stored receipt without scanning its logs. */
export function readTransactionFacts(encodedReceipt: Uint8Array): TransactionFacts {
  const fields = splitRlpList(encodedReceipt);
  return {
    sender: asBytes(decodeRlp(fields[5] as Uint8Array), 'receipt sender', 20),
    transactionHash: asBytes(decodeRlp(fields[6] as Uint8Array), 'receipt transaction hash', 32),
  };
}

/** Receipt with its gas and first log index, which depend on earlier receipts of the block. */
export type PlacedReceipt = {
  readonly receipt: StoredReceipt;
  /** Index in the block of the receipt's first log. */
  readonly firstLogIndex: number;
  readonly gasUsed: bigint;
};

/**
 * Decodes a stored receipt and subtracts the cumulative gas of the previous receipt.
 * @param before previous receipt of the block, encoded; undefined for the first
 * @param firstLogIndex index in the block of the receipt's first log
 */
export function placeStoredReceipt(
  encoded: Uint8Array,
  before: Uint8Array | undefined,
  firstLogIndex: number,
): PlacedReceipt {
  const receipt = storedReceiptFromRlp(decodeRlp(encoded));
  const previousGas =
    before === undefined ? 0n : asInteger(decodeRlp(splitRlpList(before)[2] as Uint8Array), 'receipt gas', 8);
  return { receipt, firstLogIndex, gasUsed: receipt.cumulativeGasUsed - previousGas };
}

/** Position of the logs among the fields of a stored receipt. */
const LOGS_FIELD = 4;

/** Counts the logs of a stored receipt without decoding them. */
export function countStoredLogs(encodedReceipt: Uint8Array): number {
  const { start, end } = readWholeSpan(encodedReceipt, 0, encodedReceipt.length);
  let at = start;
  for (let field = 0; field < LOGS_FIELD; field++) at = readWholeSpan(encodedReceipt, at, end).end;
  const logs = readWholeSpan(encodedReceipt, at, end);
  let count = 0;
  for (let next = logs.start; next < logs.end; count++)
    next = readWholeSpan(encodedReceipt, next, logs.end).end;
  return count;
}
