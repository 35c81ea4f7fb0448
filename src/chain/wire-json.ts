/** JSON form of transactions and receipts (spec section 2; execution-apis), and of objects that clients send. */

import type { Header } from '../../packages/ethereum/codecs/header.ts';
import type {
  Log,
  PlacedReceipt,
  StoredReceipt,
  TransactionFacts,
} from '../../packages/ethereum/codecs/receipt.ts';
import {
  blobGasOf,
  effectiveGasPrice,
  type Transaction,
} from '../../packages/ethereum/codecs/transaction.ts';
import { createAddress } from '../../packages/ethereum/primitives/address.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { encodeDataString, quantity } from './json-values.ts';

/** Entry of an EIP-2930 access list, in the form of the JSON-RPC protocol. */
export type AccessListEntry = { readonly address: string; readonly storageKeys: readonly string[] };

/** EIP-7702 authorization, in the form of the JSON-RPC protocol. */
export type AuthorizationEntry = {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly yParity: string;
  readonly r: string;
  readonly s: string;
};

/** EIP-4895 withdrawal, in the form of the JSON-RPC protocol; `amount` is in gwei. */
export type WithdrawalObject = {
  readonly index: string;
  readonly validatorIndex: string;
  readonly address: string;
  readonly amount: string;
};

/** Block that contains a transaction or receipt. */
export type WireBlock = {
  readonly header: Header;
  readonly hash: string;
};

const nullableData = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? 'null' : encodeDataString(bytes);

/** Encodes a mined transaction (spec 2.2; execution-apis `TransactionInfo`). @param index position of the transaction in the block */
export function encodeTransactionJson(
  tx: Transaction,
  { sender, transactionHash }: TransactionFacts,
  index: number,
  { header, hash }: WireBlock,
): JsonText {
  return encodeTransaction(tx, {
    block: `"blockHash":"${hash}","blockNumber":${quantity(header.number)},"blockTimestamp":${quantity(header.timestamp)}`,
    sender: encodeDataString(sender),
    gasPrice: effectiveGasPrice(tx, header.baseFeePerGas),
    hash: encodeDataString(transactionHash),
    index: quantity(index),
  });
}

/**
 * Encodes a pending transaction in geth's form.
 * @param sender lower-case `0x` text
 * @param hash lower-case `0x` text
 */
export function encodePendingTransactionJson(tx: Transaction, sender: string, hash: string): JsonText {
  return encodeTransaction(tx, {
    block: '"blockHash":null,"blockNumber":null,"blockTimestamp":null',
    sender: `"${sender}"`,
    gasPrice: tx.maxFeePerGas,
    hash: `"${hash}"`,
    index: 'null',
  });
}

/** Members of a transaction object that the transaction itself does not contain, as JSON texts; the gas price is in wei. */
type TransactionSetting = {
  readonly block: string;
  readonly sender: string;
  readonly gasPrice: bigint;
  readonly hash: string;
  readonly index: string;
};

function encodeTransaction(
  tx: Transaction,
  { block, sender, gasPrice, hash, index }: TransactionSetting,
): JsonText {
  const fields = [
    block,
    `"from":${sender}`,
    `"gas":${quantity(tx.gasLimit)}`,
    `"gasPrice":${quantity(gasPrice)}`,
    `"hash":${hash}`,
    `"input":${encodeDataString(tx.data)}`,
    `"nonce":${quantity(tx.nonce)}`,
    `"to":${nullableData(tx.to)}`,
    `"transactionIndex":${index}`,
    `"value":${quantity(tx.value)}`,
    `"type":${quantity(tx.type)}`,
    ...typedFields(tx),
    `"v":${quantity(tx.v)}`,
    `"r":${quantity(tx.signature.r)}`,
    `"s":${quantity(tx.signature.s)}`,
  ];
  return `{${fields.join(',')}}`;
}

/** Returns the members that only some transaction types have. */
function typedFields(tx: Transaction): string[] {
  const fields: string[] = [];
  if (tx.chainId !== undefined) fields.push(`"chainId":${quantity(tx.chainId)}`);
  if (tx.type === 0) return fields;
  const accessList = tx.accessList.map(
    ({ address, storageKeys }) =>
      `{"address":${encodeDataString(address)},"storageKeys":[${storageKeys.map(encodeDataString).join(',')}]}`,
  );
  fields.push(`"yParity":${quantity(tx.signature.yParity)}`, `"accessList":[${accessList.join(',')}]`);
  if (tx.type === 1) return fields;
  fields.push(
    `"maxFeePerGas":${quantity(tx.maxFeePerGas)}`,
    `"maxPriorityFeePerGas":${quantity(tx.maxPriorityFeePerGas)}`,
  );
  if (tx.type === 3) {
    fields.push(
      `"maxFeePerBlobGas":${quantity(tx.maxFeePerBlobGas)}`,
      `"blobVersionedHashes":[${tx.blobVersionedHashes.map(encodeDataString).join(',')}]`,
    );
  }
  if (tx.type === 4) {
    const list = tx.authorizationList.map(
      ({ chainId, address, nonce, signature }) =>
        `{"chainId":${quantity(chainId)},"address":${encodeDataString(address)},"nonce":${quantity(nonce)},` +
        `"yParity":${quantity(signature.yParity)},"r":${quantity(signature.r)},"s":${quantity(signature.s)}}`,
    );
    fields.push(`"authorizationList":[${list.join(',')}]`);
  }
  return fields;
}

/** JSON members that all receipts and logs of one transaction share. */
export type ReceiptPlace = {
  readonly block: string;
  readonly transaction: string;
  readonly timestamp: string;
};

/** Returns the JSON members that all logs of one transaction share. */
export function placeLogs(
  { header, hash }: WireBlock,
  transactionHash: Uint8Array,
  transactionIndex: number,
): ReceiptPlace {
  return {
    block: `"blockHash":"${hash}","blockNumber":${quantity(header.number)}`,
    transaction: `"transactionHash":${encodeDataString(transactionHash)},"transactionIndex":${quantity(transactionIndex)}`,
    timestamp: `"blockTimestamp":${quantity(header.timestamp)}`,
  };
}

/** Encodes a log (spec 2.4). @param logIndex index of the log in its block */
export function encodeLogJson(log: Log, logIndex: number, place: ReceiptPlace): string {
  return (
    `{"address":${encodeDataString(log.address)},"topics":[${log.topics.map(encodeDataString).join(',')}],"data":${encodeDataString(log.data)},` +
    `${place.block},${place.transaction},${place.timestamp},"logIndex":${quantity(logIndex)},"removed":false}`
  );
}

/**
 * Encodes a receipt (spec 2.3) piece by piece; joined, the pieces are the JSON text. A receipt may have megabytes of logs, so the consumer may yield
 * between pieces.
 * @param index position of the transaction in the block
 * @param blobGasPrice wei per blob gas in this block; used only for type 3
 */
export function* encodeReceiptJson(
  tx: Transaction,
  index: number,
  { receipt, firstLogIndex, gasUsed }: PlacedReceipt,
  { header, hash }: WireBlock,
  blobGasPrice: bigint,
): Generator<string> {
  const block = `"blockHash":"${hash}","blockNumber":${quantity(header.number)}`;
  const timestamp = `"blockTimestamp":${quantity(header.timestamp)}`;
  const transaction = `"transactionHash":${encodeDataString(receipt.transactionHash)},"transactionIndex":${quantity(index)}`;
  const contractAddress =
    tx.to === undefined ? encodeDataString(createAddress(receipt.sender, tx.nonce)) : 'null';
  const outcome =
    receipt.outcome instanceof Uint8Array
      ? `"root":${encodeDataString(receipt.outcome)}`
      : `"status":${quantity(receipt.outcome)}`;
  const blob =
    tx.type === 3 ? `,"blobGasUsed":${quantity(blobGasOf(tx))},"blobGasPrice":${quantity(blobGasPrice)}` : '';
  yield `{${block},${transaction},"from":${encodeDataString(receipt.sender)},"to":${nullableData(tx.to)},` +
    `"contractAddress":${contractAddress},"cumulativeGasUsed":${quantity(receipt.cumulativeGasUsed)},` +
    `"gasUsed":${quantity(gasUsed)},"effectiveGasPrice":${quantity(effectiveGasPrice(tx, header.baseFeePerGas))},` +
    `"logsBloom":${encodeDataString(receipt.logsBloom)},${outcome},"type":${quantity(tx.type)}${blob},"logs":[`;
  const place = { block, transaction, timestamp };
  for (const [at, log] of receipt.logs.entries()) {
    yield (at === 0 ? '' : ',') + encodeLogJson(log, firstLogIndex + at, place);
  }
  yield ']}';
}

/** Encodes all receipts of a block piece by piece. @param blobGasPrice wei per blob gas in this block */
export function* encodeReceipts(
  transactions: readonly Transaction[],
  receipts: readonly StoredReceipt[],
  position: WireBlock,
  blobGasPrice: bigint,
): Generator<string> {
  let firstLogIndex = 0;
  let previousGas = 0n;
  yield '[';
  for (const [index, receipt] of receipts.entries()) {
    const tx = transactions[index] as Transaction;
    const placed = { receipt, firstLogIndex, gasUsed: receipt.cumulativeGasUsed - previousGas };
    if (index > 0) yield ',';
    yield* encodeReceiptJson(tx, index, placed, position, blobGasPrice);
    firstLogIndex += receipt.logs.length;
    previousGas = receipt.cumulativeGasUsed;
  }
  yield ']';
}
