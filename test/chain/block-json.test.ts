import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBlock, encodeBody } from '../../packages/ethereum/codecs/block.ts';
import { BLANK_HEADER } from '../../packages/ethereum/codecs/header.ts';
import {
  computeLogsBloom,
  encodeStoredReceipts,
  type StoredReceipt,
} from '../../packages/ethereum/codecs/receipt.ts';
import {
  assembleTransaction,
  hashTransaction,
  type Transaction,
} from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { encodeBlockJson } from '../../src/chain/block-json.ts';
import { joinParts } from '../../src/chains/embedded/reads/join-parts.ts';

const COUNT = 60;
const DATA_BYTES = 50_000;

function createTransaction(nonce: number): Transaction {
  const body = {
    type: 0,
    chainId: 1n,
    nonce: BigInt(nonce),
    gasLimit: 21_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    to: undefined,
    value: 0n,
    data: new Uint8Array(DATA_BYTES).fill(nonce),
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  } as const;
  return assembleTransaction(body, { yParity: 0, r: 1n, s: 1n });
}

test('a block of several megabytes is streamed in pieces', async () => {
  const transactions = Array.from({ length: COUNT }, (_, nonce) => createTransaction(nonce));
  const receipts = transactions.map(
    (tx, index): StoredReceipt => ({
      type: 0,
      outcome: 1n,
      cumulativeGasUsed: 21_000n * BigInt(index + 1),
      logsBloom: computeLogsBloom([]),
      logs: [],
      sender: new Uint8Array(20).fill(1),
      transactionHash: hashTransaction(tx),
    }),
  );
  const body = { transactions, uncles: [] };
  const hash = `0x${'ab'.repeat(32)}`;
  const parts = {
    header: BLANK_HEADER,
    hash,
    body: encodeBody(body),
    receipts: encodeStoredReceipts(receipts),
  };
  const hashes = JSON.parse(joinParts(encodeBlockJson(parts, false), 0) as string);
  assert.equal(Number(hashes.size), encodeBlock({ header: BLANK_HEADER, ...body }).length);
  assert.deepEqual(
    hashes.transactions,
    transactions.map((tx) => bytesToHex(hashTransaction(tx))),
  );

  const stream = joinParts(encodeBlockJson(parts, true), parts.body.length) as JsonStream;
  assert.equal(stream.reservedBytes, parts.body.length);
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.pieces) pieces.push(piece);
  assert.ok(pieces.length > COUNT / 10);
  assert.ok(pieces.every(({ length }) => length < 400_000));
  const full = JSON.parse(Buffer.concat(pieces).toString());
  assert.deepEqual({ ...full, transactions: hashes.transactions }, hashes);
  for (const [index, tx] of transactions.entries()) {
    assert.equal(full.transactions[index].hash, hashes.transactions[index]);
    assert.equal(full.transactions[index].input, bytesToHex(tx.data));
  }
});
