import { BLANK_HEADER, type Header, hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { addToBloom, BLOOM_LENGTH, mergeBloom } from '../../../packages/ethereum/primitives/bloom.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { encodeTrieReceipt } from '../../../packages/proofs/encode-receipt.ts';
import {
  encodeSigned,
  encodeTransaction,
  findTransactionForm,
} from '../../../packages/proofs/encode-transaction.ts';
import type { Members } from '../../../packages/proofs/findings.ts';
import type { TransactionForm } from '../../../packages/proofs/transaction-forms.ts';
import { encodeHeaderJson } from '../../../src/chain/block-json.ts';
import { getCryptography } from '../../../src/engine/node-cryptography.ts';
import { CHAIN_ID } from './chain-plan.ts';
import type { MadeBlock, ServedChain } from './made-chain.ts';

/** Blocks below those that all other rows request; more than `ProvenBlocks` remembers of verified ones. */
export const OLDER_BLOCKS = 160;
const BLOCKS = 48;
const TRANSACTIONS = 200;
/** Bytes of call data and numbers of logs, one entry per transaction in rotation; on average as in mainnet's block 15,573,637. */
const DATA_LENGTHS = [0, 68, 68, 260, 612, 2_000];
const LOG_COUNTS = [0, 1, 2, 4, 5, 8];
const GAS = 90_000;
const BASE_FEE = 7n;
const PRIORITY_FEE = 2n;
const FIRST_TIME = 1_700_000_000;
const BLOCK_SECONDS = 12;
const NEVER_MS = 3_600_000;

const writer = new RlpWriter();
const quantity = (value: number | bigint): string => encodeQuantity(BigInt(value));
const word = (name: string): Uint8Array => keccak256(Buffer.from(name));

/** A chain with a fixed head. Each block has 200 transactions with valid hashes, signatures and roots, and their receipts. */
export class FullChain implements ServedChain {
  readonly head: number = OLDER_BLOCKS + BLOCKS - 1;
  readonly untilNext: number = NEVER_MS;
  readonly #blocks: MadeBlock[] = [];
  readonly #byHash = new Map<string, MadeBlock>();

  constructor() {
    const signed = Array.from({ length: BLOCKS }, (_, seed) =>
      Array.from({ length: TRANSACTIONS }, (_, index) => makeTransaction(seed, index)),
    );
    for (let number = 0; number <= this.head; number++) {
      // Signing takes long, so that older blocks repeat the transactions of newer ones.
      const transactions = signed[number % BLOCKS] as readonly Members[];
      const block = makeBlock(number, this.#blocks[number - 1]?.hash, transactions);
      this.#blocks.push(block);
      this.#byHash.set(block.hash, block);
    }
  }

  find(reference: unknown): MadeBlock | undefined {
    const text = String(Object(reference).blockHash ?? reference);
    if (text.length === 66) return this.#byHash.get(text);
    return this.#blocks[text.startsWith('0x') ? Number(text) : text === 'earliest' ? 0 : this.head];
  }
}

function makeReceipts(number: number, transactions: readonly Members[]) {
  let logIndex = 0;
  return transactions.map((transaction, index) => {
    const receipt = makeReceipt(transaction, number, index, logIndex);
    logIndex += receipt.logs.length;
    return receipt;
  });
}

function makeBlock(number: number, parent: string | undefined, transactions: readonly Members[]): MadeBlock {
  const receipts = makeReceipts(number, transactions);
  const bloom = new Uint8Array(BLOOM_LENGTH);
  for (const { logsBloom } of receipts) mergeBloom(bloom, hexToBytes(logsBloom));
  const header: Header = {
    ...BLANK_HEADER,
    ...(parent !== undefined && { parentHash: hexToBytes(parent) }),
    ommersHash: EMPTY_LIST_HASH,
    transactionsRoot: computeOrderedRoot(
      transactions.map((each) => encodeTransaction(each, formOf(each), writer)),
    ),
    receiptsRoot: computeOrderedRoot(receipts.map((receipt) => encodeTrieReceipt(receipt, 2, writer))),
    logsBloom: bloom,
    number: BigInt(number),
    gasLimit: 30_000_000n,
    gasUsed: BigInt(GAS * TRANSACTIONS),
    timestamp: BigInt(FIRST_TIME + number * BLOCK_SECONDS),
    baseFeePerGas: BASE_FEE,
  };
  const hash = bytesToHex(hashHeader(header));
  const place = { blockHash: hash, blockNumber: quantity(number) };
  const encode = (list: readonly unknown[]): string => {
    const head = encodeHeaderJson(header, hash).slice(0, -1);
    return `${head},"size":"0x400","transactions":${JSON.stringify(list)},"uncles":[]}`;
  };
  const placed = transactions.map((each, index) => ({
    ...place,
    ...each,
    transactionIndex: quantity(index),
  }));
  const encodeReceipts = (): Buffer => {
    const placedReceipts = makeReceipts(number, transactions).map(({ logs, ...receipt }) => ({
      ...place,
      ...receipt,
      logs: logs.map((log) => ({ ...log, ...place })),
    }));
    return Buffer.from(JSON.stringify(placedReceipts));
  };
  const made = {
    hash,
    json: encode(transactions.map((each) => each['hash'])),
    whole: Buffer.from(encode(placed)),
  };
  // Receipts of older blocks are encoded on each request, because they take memory and are seldom requested.
  if (number >= OLDER_BLOCKS) return { ...made, receipts: encodeReceipts() };
  return {
    ...made,
    get receipts() {
      return encodeReceipts();
    },
  };
}

function formOf(transaction: Members): TransactionForm {
  return findTransactionForm(transaction) as TransactionForm;
}

/** Makes a type 2 transaction. Its sender is whichever account the signature recovers to. */
function makeTransaction(number: number, index: number): Members {
  const seed = `${number}/${index}`;
  const length = DATA_LENGTHS[index % DATA_LENGTHS.length] as number;
  const data = Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, (_, i) => word(`${seed}/${i}`)));
  const body = {
    type: '0x2',
    chainId: quantity(CHAIN_ID),
    nonce: quantity(number),
    maxPriorityFeePerGas: quantity(PRIORITY_FEE),
    maxFeePerGas: quantity(2n * BASE_FEE + PRIORITY_FEE),
    gasPrice: quantity(BASE_FEE + PRIORITY_FEE),
    gas: quantity(2 * GAS),
    to: bytesToHex(word(`${seed}/to`).subarray(12)),
    value: quantity(index),
    input: bytesToHex(data.subarray(0, length)),
    accessList: [],
  };
  const form = formOf(body);
  const payload = keccak256(encodeSigned(body, form, form.signed ?? 0, undefined, writer));
  const s = word(`${seed}/s`);
  s[0] = 1;
  for (let attempt = 0; ; attempt++) {
    const r = word(`${seed}/r/${attempt}`);
    const key = getCryptography().recoverPublicKey(payload, Buffer.concat([r, s]), 0);
    if (key === undefined) continue;
    const signature = { r: trim(r), s: trim(s), v: '0x0', yParity: '0x0' };
    const signed = { ...body, ...signature, from: bytesToHex(keccak256(key).subarray(12)) };
    return { ...signed, hash: bytesToHex(keccak256(encodeTransaction(signed, form, writer))) };
  }
}

function trim(bytes: Uint8Array): string {
  return quantity(BigInt(bytesToHex(bytes)));
}

function makeReceipt(transaction: Members, number: number, index: number, firstLog: number) {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  const place = { transactionHash: transaction['hash'], transactionIndex: quantity(index) };
  const count = LOG_COUNTS[index % LOG_COUNTS.length] as number;
  const logs = Array.from({ length: count }, (_, log) => {
    const address = word(`token ${log}`).subarray(12);
    const topics = ['transfer', `from ${number}/${index}`, `to ${number}/${index}`].map(word);
    for (const value of [address, ...topics]) addToBloom(bloom, value);
    return {
      address: bytesToHex(address),
      topics: topics.map((topic) => bytesToHex(topic)),
      data: bytesToHex(word(`amount ${number}/${index}/${log}`)),
      ...place,
      logIndex: quantity(firstLog + log),
      removed: false,
    };
  });
  return {
    ...place,
    type: '0x2',
    status: '0x1',
    from: transaction['from'],
    to: transaction['to'],
    cumulativeGasUsed: quantity(GAS * (index + 1)),
    gasUsed: quantity(GAS),
    effectiveGasPrice: quantity(BASE_FEE + PRIORITY_FEE),
    contractAddress: null,
    logs,
    logsBloom: bytesToHex(bloom),
  };
}
