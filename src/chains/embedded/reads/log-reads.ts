import { decodeLogAt, type Log } from '../../../../packages/ethereum/codecs/receipt.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockLog, LogReads } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import {
  checkBlockRange,
  type LogLimits,
  type LogRange,
  refuseLogs,
  resolveLogRange,
} from '../../../chain/log-range.ts';
import type { LogFilter } from '../../../chain/requests.ts';
import { encodeLogJson, placeLogs, type ReceiptPlace } from '../../../chain/wire-json.ts';
import { AnswerMemory } from '../../../util/answer-memory.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { findLogBlock, type LogBlock, type LogTables, readLogRange } from '../store/log-index.ts';
import type { BlockParts, LogPlace } from './block-parts.ts';
import { CollectedJson } from './collected-json.ts';
import { LogSearch } from './log-search.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** Reads of logs, with the log index of the store. */
export class EngineLogs implements LogReads {
  readonly #blocks: StoredBlocks;
  readonly #limits: LogLimits;
  readonly #places: LogPlaces;

  constructor(blocks: StoredBlocks, limits: LogLimits) {
    this.#blocks = blocks;
    this.#limits = limits;
    this.#places = new LogPlaces(blocks.reader.logTables);
  }

  /** Returns a block's logs. The logs of the largest blocks are encoded in scheduler slots; for other blocks the result is synchronous. */
  getBlockLogs(hash: string, scope: RequestScope): PromiseOrValue<readonly BlockLog[] | null> {
    const stored = this.#blocks.find({ kind: 'hash', hash, requireCanonical: true });
    if (stored === undefined) return null;
    const parts = this.#blocks.getParts(stored);
    const work = listBlockLogs(this.#blocks, stored, scope);
    return parts.storedReceipts.length > MAX_IMMEDIATE_BYTES
      ? SCHEDULER.run(scope.owner ?? '', work)
      : runToEnd(work);
  }

  getLogs(filter: LogFilter, scope: RequestScope): PromiseOrValue<JsonResult> {
    const range = this.#findRange(filter);
    const work = new LogCollection(this.#blocks, this.#places, this.#limits, range, AnswerMemory.of(scope));
    return SCHEDULER.run(scope.owner ?? '', work.collect(filter, scope));
  }

  #findRange({ blocks }: LogFilter): LogRange {
    if (blocks.kind === 'block') {
      const number = this.#blocks.reader.getNumberByHash(hexToBytes(blocks.hash));
      if (number === undefined) throw new ChainError('failed', 'unknown block');
      return { first: number, last: number };
    }
    const head = this.#blocks.head.header.number;
    const range = resolveLogRange(blocks, head, (tag) => (tag === 'earliest' ? 0n : head));
    checkBlockRange(range, this.#limits);
    return range;
  }
}

/** Maximum size of a block's stored receipts for which all logs are encoded synchronously, in less than about 5 ms, bytes. */
const MAX_IMMEDIATE_BYTES = 256 * 1024;

/** Lists all logs of a block, with a pause about once per millisecond. @throws ChainError when the request is aborted or its deadline has passed */
function* listBlockLogs(
  blocks: StoredBlocks,
  stored: StoredHeader,
  scope: RequestScope,
): Generator<undefined, readonly BlockLog[]> {
  const found: BlockLog[] = [];
  const reader = new PlacedLogReader(blocks, stored, false);
  for (let logIndex = 0; logIndex < reader.count; logIndex++) {
    const { address, topics } = reader.read(logIndex);
    found.push({
      address: bytesToHex(address),
      topics: topics.map((topic) => bytesToHex(topic)),
      json: reader.encode(logIndex),
    });
    if (found.length % STEP_LOGS === 0) {
      yield;
      checkScope(scope);
    }
  }
  return found;
}

function runToEnd<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** If an answer contains more logs of one block than this, the JSON of these logs is not cached. */
const MAX_CACHED_LOGS = 16;

/**
 * Reads logs of one block by index. Reading in ascending order is fastest, because successive logs of a transaction share the encoded block and
 * transaction fields.
 */
class PlacedLogReader {
  readonly #blocks: StoredBlocks;
  readonly #stored: StoredHeader;
  readonly #keepsTexts: boolean;
  #known: BlockParts | undefined;
  #transaction: LogPlace['transaction'] | undefined;
  #place: ReceiptPlace | undefined;

  constructor(blocks: StoredBlocks, stored: StoredHeader, keepsTexts: boolean) {
    this.#blocks = blocks;
    this.#stored = stored;
    this.#keepsTexts = keepsTexts;
  }

  get count(): number {
    return this.#parts.logs.length;
  }

  read(logIndex: number): Log {
    return decodeLogAt(this.#parts.storedReceipts, requirePart(this.#parts.logs[logIndex]));
  }

  encode(logIndex: number): string {
    if (!this.#keepsTexts) return this.#encodeAnew(logIndex);
    const known = this.#blocks.findText('log', this.#stored, logIndex);
    if (known !== undefined) return known;
    const text = this.#encodeAnew(logIndex);
    this.#blocks.keepText('log', this.#stored, logIndex, text);
    return text;
  }

  get #parts(): BlockParts {
    this.#known ??= this.#blocks.getParts(this.#stored);
    return this.#known;
  }

  #encodeAnew(logIndex: number): string {
    const { transaction } = requirePart(this.#parts.logs[logIndex]);
    if (this.#place === undefined || transaction !== this.#transaction) {
      const { header, hashText } = this.#stored;
      this.#transaction = transaction;
      this.#place = placeLogs({ header, hash: hashText }, transaction.hash, transaction.index);
    }
    return encodeLogJson(this.read(logIndex), logIndex, this.#place);
  }
}

/** Number of logs encoded between two pauses, in less than 1 ms. */
const STEP_LOGS = 64;

/** Number of blocks whose ranges of log numbers are cached. */
const MAX_PLACES = 16;

/** Maps log numbers to blocks. Caches the blocks found last, because most requests concern recent blocks. */
class LogPlaces {
  readonly tables: LogTables;
  readonly #found: LogBlock[] = [];
  #next = 0;

  constructor(tables: LogTables) {
    this.tables = tables;
  }

  find(log: number): LogBlock {
    for (const block of this.#found) if (log >= block.start && log < block.end) return block;
    const found = findLogBlock(this.tables, log);
    this.#found[this.#next] = found;
    this.#next = (this.#next + 1) % MAX_PLACES;
    return found;
  }
}

/** Collects the logs of one `eth_getLogs` answer. */
class LogCollection {
  readonly #blocks: StoredBlocks;
  readonly #places: LogPlaces;
  readonly #limits: LogLimits;
  readonly #range: LogRange;
  readonly #memory: AnswerMemory;
  readonly #json: CollectedJson;
  #count = 0;

  constructor(
    blocks: StoredBlocks,
    places: LogPlaces,
    limits: LogLimits,
    range: LogRange,
    memory: AnswerMemory,
  ) {
    this.#blocks = blocks;
    this.#places = places;
    this.#limits = limits;
    this.#range = range;
    this.#memory = memory;
    this.#json = new CollectedJson(memory);
  }

  /**
   * Collects the logs, with a pause about once per millisecond.
   * @throws ChainError when the request is aborted, its deadline has passed or the result
   * is too large
   */
  *collect(filter: LogFilter, scope: RequestScope): Generator<undefined, JsonResult> {
    try {
      this.#json.add('[');
      yield* this.#addAll(filter, scope);
      this.#json.add(']');
      return this.#json.finish();
    } finally {
      // The reservation of answer memory ends here, because the receiver of the result reserves memory itself.
      this.#memory.release();
    }
  }

  *#addAll(filter: LogFilter, scope: RequestScope): Generator<undefined, void> {
    const { tables } = this.#places;
    const [start, end] = readLogRange(tables, this.#range.first, this.#range.last);
    const search = yield* LogSearch.open(tables, filter);
    // A filter whose last position names a topic matches only logs that have a topic at each of its positions. If the last position is a wildcard,
    // the index search does not ensure a topic there, so the topics of each log must be counted.
    const topics = filter.topics.at(-1)?.length === 0 ? filter.topics.length : 0;
    let at = yield* findNext(search, start, scope);
    while (at < end) {
      const block = this.#places.find(at);
      const wanted: number[] = [];
      for (const last = Math.min(block.end, end); at < last; at = yield* findNext(search, at + 1, scope)) {
        wanted.push(at - block.start);
      }
      yield* this.#addBlock(block, wanted, topics, scope);
    }
  }

  /**
   * @param wanted indexes of logs in the block, ascending
   * @param topics minimum number of topics that a log must have
   */
  *#addBlock(
    block: LogBlock,
    wanted: readonly number[],
    topics: number,
    scope: RequestScope,
  ): Generator<undefined, void> {
    const stored = requirePart(this.#blocks.reader.getHeader(block.number));
    const reader = new PlacedLogReader(this.#blocks, stored, wanted.length <= MAX_CACHED_LOGS);
    for (const [steps, logIndex] of wanted.entries()) {
      if (topics === 0 || reader.read(logIndex).topics.length >= topics)
        this.#add(reader.encode(logIndex), block.number);
      if (steps % STEP_LOGS === STEP_LOGS - 1) {
        yield;
        checkScope(scope);
      }
    }
  }

  #add(text: string, block: bigint): void {
    const { results, bytes } = this.#limits;
    this.#count++;
    if (this.#count > results) throw refuseLogs('results', results, this.#range, block);
    this.#json.add(this.#count === 1 ? text : `,${text}`);
    if (this.#json.length >= bytes) throw refuseLogs('bytes', bytes, this.#range, block);
  }
}

function* findNext(search: LogSearch, target: number, scope: RequestScope): Generator<undefined, number> {
  for (;;) {
    const found = search.find(target);
    if (found !== undefined) return found;
    yield;
    checkScope(scope);
  }
}

/** @throws ChainError when the request is aborted or its deadline has passed */
function checkScope(scope: RequestScope): void {
  if (scope.aborted || performance.now() >= scope.deadline) {
    throw new ChainError('aborted', 'the search for logs was aborted');
  }
}
