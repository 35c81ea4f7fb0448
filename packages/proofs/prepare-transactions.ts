/** Encodes and hashes long transactions with pauses. Without pauses, 20,000 access list entries take 10 ms, and hashing takes 5 ms per megabyte. */
import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { keccak256InSlices } from '../ethereum/primitives/keccak.ts';
import { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import { encodeTransaction, findTransactionForm, LIST_ITEMS, type WriteItem } from './encode-transaction.ts';
import type { Members } from './findings.ts';
import { isMembers, UnreadableMember } from './members.ts';
import { keepList, keepPrepared, LONG_LIST } from './prepared-transactions.ts';
import { encodePayload } from './verify-transaction.ts';

/** Transactions inspected between two pauses. */
const TRANSACTIONS_PER_SLICE = 1_024;
/** Items encoded between two pauses. Each item may contain a list of up to 64 entries. */
const ITEMS_PER_SLICE = 64;
/** Longest short data, UTF-16 units. A transaction with only short data and short lists is not prepared, but encoded during its comparison. */
const LONG_DATA = 64 * 1024;

/**
 * Prepares the long transactions of a value, so that their comparison is fast. The value may be a transaction, a list of transactions, or a block.
 * The preparation pauses at least once per millisecond. Only the encoding of a transaction's data has no pause; it takes 1 ms per megabyte.
 * Transactions that cannot be encoded are reported later, by their comparison.
 */
export function* prepareTransactions(value: unknown): Generator<undefined, void> {
  let looked = 0;
  for (const transaction of listTransactions(value)) {
    if (++looked % TRANSACTIONS_PER_SLICE === 0) yield;
    if (isMembers(transaction)) yield* prepareTransaction(transaction);
  }
}

function listTransactions(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const listed = isMembers(value) ? value['transactions'] : undefined;
  return Array.isArray(listed) ? listed : [value];
}

function* prepareTransaction(transaction: Members): Generator<undefined, void> {
  let isLong = false;
  for (const [member, writeItem] of LIST_ITEMS) {
    const list = transaction[member];
    if (Array.isArray(list) && (yield* prepareList(list, writeItem))) isLong = true;
  }
  const { input, data } = transaction;
  const text = input ?? data;
  if (!isLong && !(typeof text === 'string' && text.length > LONG_DATA)) return;
  const form = findTransactionForm(transaction);
  if (form === undefined) return;
  const writer = new RlpWriter();
  try {
    const encoded = encodeTransaction(transaction, form, writer);
    yield;
    const hash = bytesToHex(yield* keccak256InSlices(encoded));
    const payload = readOrUndefined(() => encodePayload(transaction, form, writer));
    yield;
    const signedHash = payload && (yield* keccak256InSlices(payload));
    keepPrepared(transaction, { encoded, hash, signedHash });
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
  }
}

/** @returns whether the list or a list inside it is long */
function* prepareList(list: readonly unknown[], writeItem: WriteItem): Generator<undefined, boolean> {
  let isLong = list.length >= LONG_LIST;
  for (const [at, item] of list.entries()) {
    if (at % TRANSACTIONS_PER_SLICE === TRANSACTIONS_PER_SLICE - 1) yield;
    const keys = isMembers(item) ? item['storageKeys'] : undefined;
    if (!Array.isArray(keys) || keys.length < LONG_LIST) continue;
    isLong = true;
    yield* encodeList(keys, LIST_ITEMS.get('storageKeys') as WriteItem);
  }
  if (list.length >= LONG_LIST) yield* encodeList(list, writeItem);
  return isLong;
}

function* encodeList(list: readonly unknown[], writeItem: WriteItem): Generator<undefined, void> {
  const writer = new RlpWriter();
  try {
    for (let i = list.length - 1; i >= 0; i--) {
      writeItem(writer, list[i]);
      if (i % ITEMS_PER_SLICE === 0) yield;
    }
    writer.list(0);
    keepList(list, writer.take(0));
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
    keepList(list, error);
  }
}

function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableMember) return undefined;
    throw error;
  }
}
