import { decodeBody, decodeTransactionAt, decodeUncleAt } from '../chain/block.ts';
import { encodeBlockJson, encodeUncleJson } from '../chain/block-json.ts';
import { decodeBlockReference } from '../chain/block-reference.ts';
import {
  type BlockReference,
  type CallRequest,
  type CallScope,
  type Chain,
  type HeaderView,
  UNSUPPORTED,
} from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { Header } from '../chain/header.ts';
import { decodeStoredReceipts } from '../chain/receipt.ts';
import { encodeReceipts, encodeTransactionJson } from '../chain/wire-json.ts';
import type { ChainFigures } from '../observe/sources.ts';
import { continueWith, type Eventual } from '../primitives/eventual.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import { encodeHexData, type HexData } from '../primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { type ChainReader, openChainReader, type StoredHeader } from '../store/chain-reader.ts';
import type { ExecutionPool } from './execution/execution-pool.ts';
import type { Job } from './execution/job.ts';
import { buildPendingHeader } from './simulation/pending-header.ts';
import { type SimulationRequest, Simulator } from './simulation/simulator.ts';
import { createStateReader } from './state/state-reader.ts';
import { blobBaseFeeOf } from './transition/block-environment.ts';
import { isMergedAfter, rulesAt } from './transition/rules.ts';

/** Gas of a call that gives none, in block gas limits (spec 8). */
const DEFAULT_GAS_BLOCKS = 10n;

/**
 * The embedded chain: stored blocks answer the reads and are what calls are executed on. It has no pending block and
 * no finality of its own: `latest`, `safe` and `finalized` are the head.
 */
export class EngineChain implements Chain {
  /** A store without a head does not open. */
  readonly isAnswerable: boolean = true;
  readonly #reader: ChainReader;
  readonly #store: string;
  readonly #pool: ExecutionPool;
  #headOfTurn: StoredHeader | undefined;
  /** Runs what is executed on this thread. */
  readonly #simulator: Simulator;

  constructor(store: string, pool: ExecutionPool) {
    this.#reader = openChainReader(store);
    this.#store = store;
    this.#pool = pool;
    this.#simulator = new Simulator(this.#reader, pool.memoryLimit, pool.meter);
  }

  /** Read once in a turn of the event loop: the items of a batch all see the same one. */
  get #head(): StoredHeader {
    if (this.#headOfTurn === undefined) {
      this.#headOfTurn = this.#reader.head;
      setImmediate(() => {
        this.#headOfTurn = undefined;
      });
    }
    return this.#headOfTurn;
  }

  get chainId(): bigint {
    return this.#reader.config.chainId;
  }

  call(request: CallRequest, scope: CallScope): Eventual<JsonResult> {
    return continueWith(this.#execute('call', request, scope), encodeHexData);
  }

  estimateGas(request: CallRequest, scope: CallScope): Eventual<JsonText> {
    return continueWith(this.#execute('estimate', request, scope), (quantity) => `"${quantity}"`);
  }

  async getBlockReceipts(block: BlockReference): Promise<JsonResult | null> {
    const position = this.#resolve(block);
    if (position === undefined) return null;
    const { number } = position.header;
    const body = this.#required(this.#reader.getBody(number));
    const stored = this.#required(this.#reader.getReceipts(number));
    const { transactions } = decodeBody(body);
    const receipts = decodeStoredReceipts(stored);
    const place = { header: position.header, hash: position.hashText };
    return joinParts(
      encodeReceipts(transactions, receipts, place, this.#blobGasPrice(position))[Symbol.iterator](),
      body.length + stored.length,
    );
  }

  async getTransactionByBlockAndIndex(block: BlockReference, index: bigint): Promise<JsonText | null> {
    const position = this.#resolve(block);
    if (position === undefined) return null;
    const { number } = position.header;
    const tx = decodeTransactionAt(this.#required(this.#reader.getBody(number)), index);
    if (tx === undefined) return null;
    const receipt = decodeStoredReceipts(this.#required(this.#reader.getReceipts(number)))[Number(index)];
    const place = { header: position.header, hash: position.hashText };
    return encodeTransactionJson(tx, this.#required(receipt), Number(index), place);
  }

  async getUncleByBlockAndIndex(block: BlockReference, index: bigint): Promise<JsonText | null> {
    const position = this.#resolve(block);
    if (position === undefined) return null;
    const uncle = decodeUncleAt(this.#required(this.#reader.getBody(position.header.number)), index);
    return uncle === undefined ? null : encodeUncleJson(uncle);
  }

  getHeader(block: BlockReference): HeaderView | null {
    if (block.kind === 'tag' && block.tag === 'pending') {
      return viewOf(buildPendingHeader(this.#head, this.#reader.config));
    }
    const position = this.#resolve(block);
    return position === undefined ? null : { ...viewOf(position.header), hash: position.hashText };
  }

  async request(method: string, params: readonly unknown[]): Promise<JsonText | typeof UNSUPPORTED> {
    const [first, second] = params;
    switch (method) {
      case 'eth_getTransactionCount':
        return this.#getTransactionCount(String(first), decodeBlockReference(second));
      case 'eth_getBlockByNumber':
        return this.#getBlock(decodeBlockReference(first), second === true);
      case 'eth_getBlockByHash':
        return this.#getBlock(
          { kind: 'hash', hash: String(first), requireCanonical: false },
          second === true,
        );
      default:
        return UNSUPPORTED;
    }
  }

  /** What metrics and the status page show. */
  describe(): ChainFigures {
    const { header, hashText } = this.#reader.head;
    const { number, timestamp } = header;
    const head = { number: Number(number), hash: hashText, timestamp: Number(timestamp) * 1_000 };
    return { head, upstreams: [] };
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  #execute(kind: Job['kind'], request: CallRequest, scope: CallScope): Eventual<HexData> {
    const isPending = request.block.kind === 'tag' && request.block.tag === 'pending';
    const position = isPending ? this.#head : this.#resolve(request.block);
    if (position === undefined) throw new ChainError('failed', missingHeaderText(request.block));
    const headLimit = this.#head.header.gasLimit;
    const job: Job = {
      kind,
      store: this.#store,
      gasLimit: kind === 'call' ? headLimit * DEFAULT_GAS_BLOCKS : headLimit,
      request: createSimulationRequest(position.header.number, isPending, request),
    };
    return this.#pool.run(job, this.#simulator, scope);
  }

  #getBlock(reference: BlockReference, isFull: boolean): JsonText {
    const position = this.#resolve(reference);
    if (position === undefined) return 'null';
    const { header, hashText } = position;
    const body = decodeBody(this.#required(this.#reader.getBody(header.number)));
    const receipts = decodeStoredReceipts(this.#required(this.#reader.getReceipts(header.number)));
    return encodeBlockJson({ header, ...body }, hashText, receipts, isFull);
  }

  /** Without transactions that wait, the pending count is the head's. */
  #getTransactionCount(address: string, block: BlockReference): JsonText {
    const isPending = block.kind === 'tag' && block.tag === 'pending';
    const position = isPending ? this.#head : this.#resolve(block);
    if (position === undefined) throw new ChainError('failed', missingHeaderText(block));
    const state = createStateReader(this.#reader, position.header.number);
    return `"${encodeQuantity(state.getAccount(hexToBytes(address))?.nonce ?? 0n)}"`;
  }

  /** The stored block that a reference names; undefined when there is none, as for `pending`. */
  #resolve(block: BlockReference): StoredHeader | undefined {
    if (block.kind === 'number') return this.#reader.getHeader(block.number);
    if (block.kind === 'hash') {
      const number = this.#reader.getNumberByHash(hexToBytes(block.hash));
      return number === undefined ? undefined : this.#reader.getHeader(number);
    }
    if (block.tag === 'pending') return undefined;
    return block.tag === 'earliest' ? this.#reader.getHeader(0n) : this.#head;
  }

  #blobGasPrice({ header, totalDifficulty }: StoredHeader): bigint {
    const { config } = this.#reader;
    const isMerged = isMergedAfter(config, totalDifficulty - header.difficulty);
    const { number, timestamp } = header;
    return blobBaseFeeOf(header, rulesAt(config, { number, timestamp, isMerged }));
  }

  #required<T>(value: T | undefined): T {
    if (value === undefined) throw new Error('the store lacks a part of a block that it has');
    return value;
  }
}

function createSimulationRequest(
  blockNumber: bigint,
  isPending: boolean,
  { call, stateOverrides, blockOverrides }: CallRequest,
): SimulationRequest {
  if (stateOverrides === undefined && blockOverrides === undefined) return { blockNumber, isPending, call };
  return {
    blockNumber,
    isPending,
    call,
    ...(stateOverrides !== undefined && { stateOverrides }),
    ...(blockOverrides !== undefined && { blockOverrides }),
  };
}

/** Answers of more UTF-16 units than this are handed on in pieces, which are made as they are taken. */
const LARGE_ANSWER = 256 * 1024;

/**
 * One text of small parts, or a stream of it.
 * @param heldBytes of what they are made from
 */
function joinParts(parts: Iterator<string>, heldBytes: number): JsonResult {
  let text = '';
  for (let part = parts.next(); part.done !== true; part = parts.next()) {
    text += part.value;
    if (text.length > LARGE_ANSWER) return { pieces: encodeParts(text, parts), cancel: () => {}, heldBytes };
  }
  return text;
}

/** Of a piece, in UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

async function* encodeParts(
  begun: string,
  rest: Iterator<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let text = begun;
  for (let part = rest.next(); part.done !== true; part = rest.next()) {
    if (text.length >= PIECE_LENGTH) {
      yield Buffer.from(text);
      text = '';
    }
    text += part.value;
  }
  yield Buffer.from(text);
}

function viewOf({ number, timestamp, gasLimit, baseFeePerGas, extraData }: Header): HeaderView {
  return {
    number,
    timestamp,
    gasLimit,
    extraData: bytesToHex(extraData),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  };
}

/** geth's texts for calls at a block that is not there. */
function missingHeaderText(block: BlockReference): string {
  return block.kind === 'hash' ? 'header for hash not found' : 'header not found';
}
