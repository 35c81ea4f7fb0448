import type { BlockHeader, ReportedBlock } from '../../../src/pool/heads/block.ts';
import type { HeadReport } from '../../../src/pool/heads/electorate.ts';
import { NetworkHead } from '../../../src/pool/heads/network-head.ts';
import { parseBlock } from '../../../src/pool/heads/parse-block.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { makeCandidates, makeHeadOptions } from '../../support/head-views.ts';
import type { Behaviour } from './scripted-node.ts';

export type ChainScript = {
  readonly length: number;
  /** Number of transactions and uncles of a block; none by default. */
  readonly transactions?: (number: number) => number;
  readonly uncles?: (number: number) => number;
  /** First block after the merge; by default there never was proof of work. */
  readonly mergedFrom?: number;
  /** Changes the hashes of blocks from `forkedFrom` on, to distinguish chains. */
  readonly salt?: number;
  readonly forkedFrom?: number;
};

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

/** Hash that encodes kind, salt, number and position. */
export function makeHash(kind: number, salt: number, number: number, index: number = 0): string {
  const parts: readonly (readonly [number, number])[] = [
    [kind, 4],
    [salt, 4],
    [number, 16],
    [index, 8],
  ];
  return `0x${'c0de'.repeat(8)}${parts.map(([part, digits]) => part.toString(16).padStart(digits, '0')).join('')}`;
}

const BLOCK = 1;
const TRANSACTION = 2;
const UNCLE = 3;

/** A chain of synthetic blocks, and the answers of a node that has it. */
export class ScriptedChain {
  readonly #script: ChainScript;

  constructor(script: ChainScript) {
    this.#script = script;
  }

  get height(): number {
    return this.#script.length - 1;
  }

  hashOf(number: number): string {
    const { salt = 0, forkedFrom = 0 } = this.#script;
    return makeHash(BLOCK, number >= forkedFrom ? salt : 0, number);
  }

  transactionHash(number: number, index: number): string {
    return makeHash(TRANSACTION, this.#script.salt ?? 0, number, index);
  }

  /** The block object as a JSON value. */
  blockObject(number: number): Readonly<Record<string, unknown>> {
    const { transactions, uncles, mergedFrom = 0 } = this.#script;
    const count = transactions?.(number) ?? 0;
    const uncleCount = uncles?.(number) ?? 0;
    return {
      number: hex(number),
      hash: this.hashOf(number),
      parentHash: number === 0 ? makeHash(0, 0, 0) : this.hashOf(number - 1),
      timestamp: hex(1_700_000_000 + number),
      gasLimit: '0x1c9c380',
      extraData: '0x',
      difficulty: number < mergedFrom ? '0x20000' : '0x0',
      transactions: Array.from({ length: count }, (_, i) => this.transactionHash(number, i)),
      uncles: Array.from({ length: uncleCount }, (_, i) => makeHash(UNCLE, 0, number, i)),
    };
  }

  block(number: number): ReportedBlock {
    return parseBlock(this.blockObject(number));
  }

  transactionObject(number: number, index: number): Readonly<Record<string, unknown>> {
    return {
      hash: this.transactionHash(number, index),
      blockHash: this.hashOf(number),
      blockNumber: hex(number),
      transactionIndex: hex(index),
      gasPrice: '0x2',
      maxFeePerGas: '0x9',
    };
  }

  receiptObject(number: number, index: number): Readonly<Record<string, unknown>> {
    const place = {
      transactionHash: this.transactionHash(number, index),
      blockHash: this.hashOf(number),
      blockNumber: hex(number),
    };
    return {
      ...place,
      transactionIndex: hex(index),
      cumulativeGasUsed: hex(21_000 * (index + 1)),
      status: '0x1',
      logs: index % 2 === 0 ? [] : [{ ...place, data: '0x', topics: [], logIndex: hex(index) }],
    };
  }

  receipts(number: number): string {
    const { transactionHashes } = this.block(number);
    return JSON.stringify(transactionHashes.map((_, index) => this.receiptObject(number, index)));
  }

  /** Answer of an honest node. Calls at a block return its hash. */
  answer(method: string, params: readonly unknown[]): unknown {
    const number = this.#find(params[0]);
    const index = Number(params[1]);
    switch (method) {
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash':
        return number === undefined ? null : this.blockObject(number);
      case 'eth_getBlockReceipts':
        return number === undefined ? null : JSON.parse(this.receipts(number));
      case 'eth_getTransactionByBlockNumberAndIndex':
      case 'eth_getTransactionByBlockHashAndIndex':
        return number === undefined ? null : this.transactionObject(number, index);
      case 'eth_getTransactionByHash':
        return this.#findTransaction(String(params[0]), (at, i) => this.transactionObject(at, i));
      case 'eth_getUncleByBlockNumberAndIndex':
      case 'eth_getUncleByBlockHashAndIndex':
        return number === undefined
          ? null
          : { hash: makeHash(UNCLE, 0, number, index), transactions: [], uncles: [] };
      case 'eth_getTransactionReceipt':
        return this.#findTransaction(String(params[0]), (at, i) => this.receiptObject(at, i));
      case 'eth_call': {
        const at = this.#find(params[1]);
        return at === undefined ? null : this.hashOf(at);
      }
      default:
        return undefined;
    }
  }

  /** Behaviour of a node that has this chain and nothing else. */
  behaviour(): Behaviour {
    return ({ method, params }) => {
      const result = this.answer(method, JSON.parse(params) as unknown[]);
      return result === undefined
        ? { kind: 'error', error: { code: -32601, message: 'the method does not exist', data: undefined } }
        : { kind: 'result', result: JSON.stringify(result) };
    };
  }

  /** Head report of a node that has this chain up to `latest`. */
  report(latest: number = this.height): HeadReport {
    const headerAt = (number: bigint): BlockHeader | undefined =>
      number >= 0n && number <= BigInt(latest) ? this.block(Number(number)) : undefined;
    return {
      latest: this.block(latest),
      safe: undefined,
      hasMarks: true,
      isSyncing: false,
      isExpected: false,
      hasShown: () => true,
      finalized: undefined,
      headerAt,
      hashAt: (number) => headerAt(number)?.hash,
    };
  }

  #find(name: unknown): number | undefined {
    const { length } = this.#script;
    const text = String(Object(name)['blockHash'] ?? name);
    if (text === 'latest') return this.height;
    if (text.length < 66) return Number(text) < length ? Number(text) : undefined;
    for (let number = 0; number < length; number++) if (this.hashOf(number) === text) return number;
    return undefined;
  }

  #findTransaction(hash: string, show: (number: number, index: number) => unknown): unknown {
    const number = Number.parseInt(hash.slice(42, 58), 16);
    const index = Number.parseInt(hash.slice(58), 16);
    const isKnown = number <= this.height && this.transactionHash(number, index) === hash;
    return isKnown ? show(number, index) : null;
  }
}

/** Head of a network of nodes with these reports. */
export function createHead(
  reports: () => readonly HeadReport[],
  onOrphaned: (hashes: readonly string[]) => void = () => {},
): NetworkHead {
  const candidates = () => makeCandidates(reports());
  const head = new NetworkHead(makeHeadOptions(systemClock, candidates, { onOrphaned }));
  head.update();
  return head;
}
