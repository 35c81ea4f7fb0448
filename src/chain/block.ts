import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  encodeRlp,
  type RlpInput,
  type RlpItem,
} from '../primitives/rlp.ts';
import { type Header, headerFromRlp, headerToRlp } from './header.ts';
import { decodeTransaction, type Transaction } from './transaction.ts';

/** EIP-4895: `amount` is in gwei. */
export type Withdrawal = {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Uint8Array;
  readonly amount: bigint;
};

export type Body = {
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly Header[];
  /** Absent before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[];
};

export type Block = Body & { readonly header: Header };

export function withdrawalToRlp({ index, validatorIndex, address, amount }: Withdrawal): RlpInput {
  return [index, validatorIndex, address, amount];
}

function withdrawalFromRlp(item: RlpItem): Withdrawal {
  const fields = asList(item, 'withdrawal');
  if (fields.length !== 4) throw new RangeError(`rlp: withdrawal of ${fields.length} fields`);
  return {
    index: asInteger(fields[0], 'withdrawal index', 8),
    validatorIndex: asInteger(fields[1], 'withdrawal validator index', 8),
    address: asBytes(fields[2], 'withdrawal address', 20),
    amount: asInteger(fields[3], 'withdrawal amount', 8),
  };
}

/** A legacy transaction stands in the list as a list, the others as byte strings. */
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
    throw new RangeError(`rlp: block body of ${fields.length} fields`);
  const transactions = asList(fields[0], 'transactions').map(decodeTransaction);
  const uncles = asList(fields[1], 'uncles').map(headerFromRlp);
  if (fields[2] === undefined) return { transactions, uncles };
  return { transactions, uncles, withdrawals: asList(fields[2], 'withdrawals').map(withdrawalFromRlp) };
}

/** @throws RangeError naming what is malformed. */
export function decodeBody(encoded: Uint8Array): Body {
  return bodyFromRlp(asList(decodeRlp(encoded), 'block body'));
}

/** Parses `[header, transactions, uncles, withdrawals?]`. @throws RangeError naming what is malformed. */
export function decodeBlock(encoded: Uint8Array): Block {
  const [header, ...body] = asList(decodeRlp(encoded), 'block');
  if (header === undefined) throw new RangeError('rlp: empty block');
  return { header: headerFromRlp(header), ...bodyFromRlp(body) };
}

/** One transaction of an encoded body without parsing the others; undefined when there is none at `index`. */
export function decodeTransactionAt(encodedBody: Uint8Array, index: bigint): Transaction | undefined {
  const items = asList(asList(decodeRlp(encodedBody), 'block body')[0], 'transactions');
  if (index >= BigInt(items.length)) return undefined;
  return decodeTransaction(items[Number(index)] as RlpItem);
}

/** One uncle of an encoded body; undefined when there is none at `index`. */
export function decodeUncleAt(encodedBody: Uint8Array, index: bigint): Header | undefined {
  const items = asList(asList(decodeRlp(encodedBody), 'block body')[1], 'uncles');
  if (index >= BigInt(items.length)) return undefined;
  return headerFromRlp(items[Number(index)] as RlpItem);
}
