import { bytesEqual } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  encodeRlp,
  measureRlpHeader,
  type RlpInput,
  type RlpItem,
  type RlpSpan,
  readRlpSpan,
  readWholeSpan,
  splitRlpList,
  writeRlpHeader,
} from '../primitives/rlp.ts';
import { encodeHeader, type Header, headerFromRlp, headerToRlp } from './header.ts';
import { decodeTransaction, type Transaction } from './transaction.ts';

/** Withdrawal (EIP-4895); `amount` is in gwei. */
export type Withdrawal = {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Uint8Array;
  readonly amount: bigint;
};

/** First byte of an empty RLP list. */
const LIST_BASE = 0xc0;

export type Body = {
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly Header[];
  /** Withdrawals; absent before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[];
};

export type Block = Body & { readonly header: Header };

export function withdrawalToRlp({ index, validatorIndex, address, amount }: Withdrawal): RlpInput {
  return [index, validatorIndex, address, amount];
}

function withdrawalFromRlp(item: RlpItem): Withdrawal {
  const fields = asList(item, 'withdrawal');
  if (fields.length !== 4) throw new RangeError(`rlp: withdrawal has ${fields.length} fields`);
  return {
    index: asInteger(fields[0], 'withdrawal index', 8),
    validatorIndex: asInteger(fields[1], 'withdrawal validator index', 8),
    address: asBytes(fields[2], 'withdrawal address', 20),
    amount: asInteger(fields[3], 'withdrawal amount', 8),
  };
}

/** Returns a transaction as an item of the block's RLP: a list for a legacy transaction, otherwise a byte string. */
function transactionToRlp(tx: Transaction): RlpInput {
  return tx.type === 0 ? decodeRlp(tx.encoded) : tx.encoded;
}

export function unclesToRlp(uncles: readonly Header[]): RlpInput {
  return uncles.map(headerToRlp);
}

function bodyToRlp({ transactions, uncles, withdrawals }: Body): RlpInput[] {
  const fields: RlpInput[] = [transactions.map(transactionToRlp), unclesToRlp(uncles)];
  if (withdrawals !== undefined) fields.push(withdrawals.map(withdrawalToRlp));
  return fields;
}

export function encodeBody(body: Body): Uint8Array {
  return encodeRlp(bodyToRlp(body));
}

export function encodeBlock(block: Block): Uint8Array {
  return encodeRlp([headerToRlp(block.header), ...bodyToRlp(block)]);
}

function bodyFromRlp(fields: readonly RlpItem[]): Body {
  if (fields.length !== 2 && fields.length !== 3)
    throw new RangeError(`rlp: block body has ${fields.length} fields`);
  const transactions = asList(fields[0], 'transactions').map(decodeTransaction);
  const uncles = asList(fields[1], 'uncles').map(headerFromRlp);
  if (fields[2] === undefined) return { transactions, uncles };
  return { transactions, uncles, withdrawals: asList(fields[2], 'withdrawals').map(withdrawalFromRlp) };
}

/** @throws RangeError that names the malformed part */
export function decodeBody(encoded: Uint8Array): Body {
  return bodyFromRlp(asList(decodeRlp(encoded), 'block body'));
}

/** Number of fields of an exported block. From Amsterdam on, `geth export` writes the block access list behind the withdrawals. */
const EXPORTED_FIELDS = 5;

/**
 * Parses a block, `[header, transactions, uncles, withdrawals?]`. The output of `geth export` may also have a block access list, which must match
 * the hash in the header.
 * @throws RangeError that names the malformed part
 */
export function decodeBlock(encoded: Uint8Array): Block {
  const [first, ...rest] = asList(decodeRlp(encoded), 'block');
  if (first === undefined) throw new RangeError('rlp: empty block');
  const header = headerFromRlp(first);
  const accessList = rest.length === EXPORTED_FIELDS - 1 ? rest.pop() : undefined;
  if (accessList !== undefined) checkAccessList(header, accessList);
  return { header, ...bodyFromRlp(rest) };
}

function checkAccessList({ blockAccessListHash }: Header, list: RlpItem): void {
  if (blockAccessListHash === undefined)
    throw new RangeError('rlp: the block is from before Amsterdam, but has a block access list');
  if (bytesEqual(keccak256(encodeRlp(list)), blockAccessListHash)) return;
  throw new RangeError('rlp: the block access list does not hash to the hash in the header');
}

/** Encoded lists of an encoded body: transactions, uncles and, since Shanghai, withdrawals. */
type BodyLists = readonly [transactions: Uint8Array, uncles: Uint8Array, withdrawals?: Uint8Array];

function splitBody(encodedBody: Uint8Array): BodyLists {
  const lists = splitRlpList(encodedBody);
  if (lists.length !== 2 && lists.length !== 3)
    throw new RangeError(`rlp: block body has ${lists.length} fields`);
  return lists as unknown as BodyLists;
}

/** Splits an encoded body into its transactions. Each transaction is an RLP list (type 0), or a byte string of type byte and list. */
export function splitTransactions(encodedBody: Uint8Array): readonly Uint8Array[] {
  return splitRlpList(splitBody(encodedBody)[0]);
}

/** Splits an encoded body into its uncles, each an encoded header. */
export function splitUncles(encodedBody: Uint8Array): readonly Uint8Array[] {
  return splitRlpList(splitBody(encodedBody)[1]);
}

/** Decodes the withdrawals of an encoded body; undefined before Shanghai. */
export function readWithdrawals(encodedBody: Uint8Array): readonly Withdrawal[] | undefined {
  const encoded = splitBody(encodedBody)[2];
  return encoded && asList(decodeRlp(encoded), 'withdrawals').map(withdrawalFromRlp);
}

/** Decodes a transaction as it is stored in an encoded body. */
export function decodeStoredTransaction(item: Uint8Array): Transaction {
  return decodeTransaction(decodeRlp(item));
}

/** Returns the canonical bytes (EIP-2718) of a transaction from an encoded body. */
export function readTransactionBytes(item: Uint8Array): Uint8Array {
  const { isList, start, end } = readWholeSpan(item, 0, item.length);
  return isList ? item : item.subarray(start, end);
}

/** Decodes one uncle of an encoded body; undefined if there is none at `index`. */
export function decodeUncleAt(encodedBody: Uint8Array, index: bigint): Header | undefined {
  const item = splitUncles(encodedBody)[Number(index)];
  return item && headerFromRlp(decodeRlp(item));
}

/** Joins a header and an encoded body into an encoded block. */
export function joinBlock(header: Header, encodedBody: Uint8Array): Uint8Array {
  const encodedHeader = encodeHeader(header);
  const { start } = readRlpSpan(encodedBody, 0, encodedBody.length) as RlpSpan;
  const length = encodedHeader.length + encodedBody.length - start;
  const joined = new Uint8Array(measureRlpHeader(length) + length);
  const at = writeRlpHeader(joined, 0, LIST_BASE, length);
  joined.set(encodedHeader, at);
  joined.set(encodedBody.subarray(start), at + encodedHeader.length);
  return joined;
}

/** Length in bytes of the result of `joinBlock`. */
export function measureBlock(header: Header, encodedBody: Uint8Array): number {
  const { start } = readRlpSpan(encodedBody, 0, encodedBody.length) as RlpSpan;
  const length = encodeHeader(header).length + encodedBody.length - start;
  return measureRlpHeader(length) + length;
}

/**
 * Length in bytes of an encoded block without uncles, from the lengths of its parts.
 * @param transactions total bytes of the transactions in the block's list
 * @param withdrawals total bytes of the withdrawals; undefined before Shanghai
 */
export function measureBlockParts(
  header: Header,
  transactions: number,
  withdrawals: number | undefined,
): number {
  const listLength = (payload: number): number => measureRlpHeader(payload) + payload;
  const length =
    encodeHeader(header).length +
    listLength(transactions) +
    listLength(0) +
    (withdrawals === undefined ? 0 : listLength(withdrawals));
  return listLength(length);
}

/** Length in bytes of a transaction in the block's RLP. In a block, a typed transaction is wrapped in a byte string, which adds a header. */
export function measureListed({ type, encoded }: Pick<Transaction, 'type' | 'encoded'>): number {
  return type === 0 ? encoded.length : measureRlpHeader(encoded.length) + encoded.length;
}
