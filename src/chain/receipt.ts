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
  /** State root after the transaction before Byzantium; 0n or 1n since (EIP-658). */
  readonly outcome: Uint8Array | bigint;
  readonly cumulativeGasUsed: bigint;
  readonly logsBloom: Uint8Array;
  readonly logs: readonly Log[];
};

/** A receipt together with what would otherwise be computed again for every answer. */
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

/** The form that the receipts trie holds (EIP-2718). */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = encodeRlp(receiptFields(receipt));
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload);
}

/** All receipts of a block in the store's form. */
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

/** The log at this place of encoded receipts. */
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

export function decodeStoredReceipts(encoded: Uint8Array): readonly StoredReceipt[] {
  return asList(decodeRlp(encoded), 'receipts').map(storedReceiptFromRlp);
}

/** What a transaction object has of a receipt. */
export type TransactionFacts = Pick<StoredReceipt, 'sender' | 'transactionHash'>;

/** The sender and hash in a stored receipt; logs are not looked into. */
export function readTransactionFacts(encodedReceipt: Uint8Array): TransactionFacts {
  const fields = splitRlpList(encodedReceipt);
  return {
    sender: asBytes(decodeRlp(fields[5] as Uint8Array), 'receipt sender', 20),
    transactionHash: asBytes(decodeRlp(fields[6] as Uint8Array), 'receipt transaction hash', 32),
  };
}

/** A receipt and what the ones before it in its block add to its JSON form. */
export type PlacedReceipt = {
  readonly receipt: StoredReceipt;
  /** Position in the block of its first log. */
  readonly firstLogIndex: number;
  readonly gasUsed: bigint;
};

/**
 * A stored receipt with what the ones before it add.
 * @param before the one before it, encoded
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

/** Logs of a stored receipt, which are not looked into. */
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
