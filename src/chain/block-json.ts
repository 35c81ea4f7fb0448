/** JSON form of blocks, headers and uncles (spec 2.1; execution-apis). */

import {
  measureBlock,
  readWithdrawals,
  splitTransactions,
  splitUncles,
  type Withdrawal,
} from '../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader, headerOnlyBlockSize } from '../../packages/ethereum/codecs/header.ts';
import { readTransactionFacts, type TransactionFacts } from '../../packages/ethereum/codecs/receipt.ts';
import { decodeTransaction, type Transaction } from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { decodeRlp, splitRlpList } from '../../packages/ethereum/primitives/rlp.ts';
import { encodeDataString, quantity } from './json-values.ts';
import { encodeTransactionJson } from './wire-json.ts';

/** Maximum number of withdrawals in one piece of encoded JSON. Real blocks have at most 16 withdrawals, but simulated blocks may have any number. */
const WITHDRAWALS_PER_PIECE = 256;

/** Block in its stored form. */
export type EncodedBlockParts = {
  readonly header: Header;
  /** Block hash, lower-case `0x` text. */
  readonly hash: string;
  readonly body: Uint8Array;
  /** Stored receipts, which include the hashes and senders of the transactions. */
  readonly receipts: Uint8Array;
};

/** Block whose parts are read one after the other, each part just before it is encoded. */
export type BlockContents = {
  readonly header: Header;
  /** Block hash, lower-case `0x` text. */
  readonly hash: string;
  /** Length of the block's RLP in bytes. */
  readonly size: number;
  /** Reads the hashes and senders of the transactions. */
  readFacts(): readonly TransactionFacts[];
  readTransactions(): Iterable<Transaction>;
  /** Reads the uncles as encoded headers. */
  readUncles(): readonly Uint8Array[];
  /** Reads the withdrawals; undefined before Shanghai. */
  readWithdrawals(): readonly Withdrawal[] | undefined;
};

/** Encodes a header alone, in the form of geth's `eth_getHeaderByNumber`. */
export function encodeHeaderJson(header: Header, hash: string): JsonText {
  return `{${listHeaderFields(header, hash).join(',')}}`;
}

/** Encodes an uncle, or any other header, as a block object without transactions: spec 2.1 with `uncles: []`. */
export function encodeUncleJson(header: Header): JsonText {
  const fields = [
    ...listHeaderFields(header, bytesToHex(hashHeader(header))),
    '"totalDifficulty":null',
    `"size":${quantity(headerOnlyBlockSize(header))}`,
    '"uncles":[]',
  ];
  return `{${fields.join(',')}}`;
}

/** Encodes a stored block piece by piece. @param isFull whether transactions are included in full or as hashes */
export function encodeBlockJson(
  { header, hash, body, receipts }: EncodedBlockParts,
  isFull: boolean,
): Generator<string> {
  const contents: BlockContents = {
    header,
    hash,
    size: measureBlock(header, body),
    readFacts: () => splitRlpList(receipts).map(readTransactionFacts),
    *readTransactions() {
      for (const item of splitTransactions(body)) yield decodeTransaction(decodeRlp(item));
    },
    readUncles: () => splitUncles(body),
    readWithdrawals: () => readWithdrawals(body),
  };
  return encodeContentsJson(contents, isFull);
}

/**
 * Encodes a block piece by piece; joined, the pieces are the JSON text. A block may have megabytes of transactions, so the consumer may yield between
 * pieces.
 * @param isFull whether transactions are included in full or as hashes
 */
export function* encodeContentsJson(contents: BlockContents, isFull: boolean): Generator<string> {
  const { header, hash, size } = contents;
  const fields = [...listHeaderFields(header, hash), `"size":${quantity(size)}`];
  yield `{${fields.join(',')},"transactions":[`;
  const facts = contents.readFacts();
  if (isFull) {
    const place = { header, hash };
    let index = 0;
    for (const transaction of contents.readTransactions()) {
      const own = facts[index];
      if (own === undefined) throw new Error('the store has fewer receipts than transactions for a block');
      const text = encodeTransactionJson(transaction, own, index, place);
      yield index === 0 ? text : `,${text}`;
      index++;
    }
  } else {
    yield facts.map(({ transactionHash }) => encodeDataString(transactionHash)).join(',');
  }
  const uncles = contents.readUncles().map((uncle) => encodeDataString(keccak256(uncle)));
  yield `],"uncles":[${uncles.join(',')}]`;
  const withdrawals = contents.readWithdrawals();
  if (withdrawals === undefined) return yield '}';
  let start = ',"withdrawals":[';
  for (let at = 0; at === 0 || at < withdrawals.length; at += WITHDRAWALS_PER_PIECE) {
    const piece = withdrawals.slice(at, at + WITHDRAWALS_PER_PIECE).map(encodeWithdrawal);
    yield `${start}${piece.join(',')}${at + piece.length === withdrawals.length ? ']}' : ''}`;
    start = ',';
  }
}

/** Encodes the pending block from the parts that are already known: no transactions and, as in geth, no hash, nonce and miner. */
export function encodePendingBlockJson(header: Header, body: Uint8Array): JsonText {
  const fields = [
    ...listHeaderFields(header, undefined),
    `"size":${quantity(measureBlock(header, body))}`,
    '"transactions":[]',
    '"uncles":[]',
  ];
  if (readWithdrawals(body) !== undefined) fields.push('"withdrawals":[]');
  return `{${fields.join(',')}}`;
}

/** @param hash undefined for the pending block */
function listHeaderFields(header: Header, hash: string | undefined): string[] {
  const fields = [
    `"number":${quantity(header.number)}`,
    `"hash":${hash === undefined ? 'null' : `"${hash}"`}`,
    `"parentHash":${encodeDataString(header.parentHash)}`,
    `"nonce":${hash === undefined ? 'null' : encodeDataString(header.nonce)}`,
    `"mixHash":${encodeDataString(header.mixHash)}`,
    `"sha3Uncles":${encodeDataString(header.ommersHash)}`,
    `"logsBloom":${encodeDataString(header.logsBloom)}`,
    `"stateRoot":${encodeDataString(header.stateRoot)}`,
    `"miner":${hash === undefined ? 'null' : encodeDataString(header.beneficiary)}`,
    `"difficulty":${quantity(header.difficulty)}`,
    `"extraData":${encodeDataString(header.extraData)}`,
    `"gasLimit":${quantity(header.gasLimit)}`,
    `"gasUsed":${quantity(header.gasUsed)}`,
    `"timestamp":${quantity(header.timestamp)}`,
    `"transactionsRoot":${encodeDataString(header.transactionsRoot)}`,
    `"receiptsRoot":${encodeDataString(header.receiptsRoot)}`,
  ];
  const { baseFeePerGas, blobGasUsed, excessBlobGas } = header;
  const { withdrawalsRoot, requestsHash, blockAccessListHash, slotNumber } = header;
  // The consensus layer provides the parent beacon block root only together with the block, so a pending block has none.
  const parentBeaconBlockRoot = hash === undefined ? undefined : header.parentBeaconBlockRoot;
  for (const [name, value] of Object.entries({ baseFeePerGas, blobGasUsed, excessBlobGas, slotNumber })) {
    if (value !== undefined) fields.push(`"${name}":${quantity(value)}`);
  }
  const hashes = { withdrawalsRoot, parentBeaconBlockRoot, requestsHash, blockAccessListHash };
  for (const [name, value] of Object.entries(hashes)) {
    if (value !== undefined) fields.push(`"${name}":${encodeDataString(value)}`);
  }
  return fields;
}

function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): JsonText {
  return (
    `{"index":${quantity(index)},"validatorIndex":${quantity(validatorIndex)},` +
    `"address":${encodeDataString(address)},"amount":${quantity(amount)}}`
  );
}
