import type { LogFilter, LogReads } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import {
  checkBlockRange,
  type LogLimits,
  type LogRange,
  refuseLogs,
  resolveLogRange,
} from '../../chain/log-range.ts';
import { decodeLogAt } from '../../chain/receipt.ts';
import { scanStoredReceipts } from '../../chain/scan-receipts.ts';
import { encodeLogJson, placeLogs } from '../../chain/wire-json.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { JsonResult } from '../../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { RlpSpan } from '../../primitives/rlp.ts';
import { findLogBlock, type LogBlock, readLogRange } from '../../store/log-index.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { TURNS } from '../../util/turn-queue.ts';
import { joinParts } from './join-parts.ts';
import { LogSearch } from './log-search.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** Logs of the store, by its index. */
export class EngineLogs implements LogReads {
  readonly #blocks: StoredBlocks;
  readonly #limits: LogLimits;

  constructor(blocks: StoredBlocks, limits: LogLimits) {
    this.#blocks = blocks;
    this.#limits = limits;
  }

  getLogs(filter: LogFilter, scope: RequestScope): PromiseOrValue<JsonResult> {
    const range = this.#findRange(filter);
    const work = new LogCollection(this.#blocks, this.#limits, range).collect(filter, scope);
    return continueWith(TURNS.run(scope.owner ?? '', work), ({ parts, length }) =>
      joinParts(parts[Symbol.iterator](), length),
    );
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

/** A JSON array in parts, and the length of all. */
type CollectedLogs = { readonly parts: readonly string[]; readonly length: number };

/** Logs that are encoded before the work pauses: less than a millisecond. */
const STEP_LOGS = 64;

/** The answer to one question. */
class LogCollection {
  readonly #blocks: StoredBlocks;
  readonly #limits: LogLimits;
  readonly #range: LogRange;
  readonly #parts: string[] = ['['];
  #length = 1;
  #count = 0;

  constructor(blocks: StoredBlocks, limits: LogLimits, range: LogRange) {
    this.#blocks = blocks;
    this.#limits = limits;
    this.#range = range;
  }

  /** Pauses once a millisecond or so. @throws ChainError when the client has gone, time is up or there is too much */
  *collect(filter: LogFilter, scope: RequestScope): Generator<undefined, CollectedLogs> {
    const tables = this.#blocks.reader.logTables;
    const [start, end] = readLogRange(tables, this.#range.first, this.#range.last);
    const search = yield* LogSearch.open(tables, filter);
    let at = yield* findNext(search, start, scope);
    while (at < end) {
      const block = findLogBlock(tables, at);
      const wanted: number[] = [];
      for (const last = Math.min(block.end, end); at < last; at = yield* findNext(search, at + 1, scope)) {
        wanted.push(at - block.start);
      }
      yield* this.#addBlock(block, wanted, filter.topics.length, scope);
    }
    this.#parts.push(']');
    return { parts: this.#parts, length: this.#length + 1 };
  }

  /** @param wanted indexes of logs in the block, ascending. @param topics that a log has at least */
  *#addBlock(
    block: LogBlock,
    wanted: readonly number[],
    topics: number,
    scope: RequestScope,
  ): Generator<undefined, void> {
    const stored = requirePart(this.#blocks.reader.getHeader(block.number));
    const receipts = this.#blocks.getReceipts(stored);
    const position = { header: stored.header, hash: stored.hashText };
    let steps = 0;
    for (const { transaction, logs } of findLogs(receipts, wanted)) {
      const place = placeLogs(position, transaction.hash, transaction.index);
      for (const { span, logIndex } of logs) {
        const log = decodeLogAt(receipts, span);
        if (log.topics.length >= topics) this.#add(encodeLogJson(log, logIndex, place), block.number);
        if (++steps % STEP_LOGS === 0) {
          yield;
          checkScope(scope);
        }
      }
    }
  }

  #add(text: string, block: bigint): void {
    const { results, bytes } = this.#limits;
    const part = this.#count === 0 ? text : `,${text}`;
    this.#count++;
    this.#length += part.length;
    if (this.#count > results) throw refuseLogs('results', results, this.#range, block);
    if (this.#length >= bytes) throw refuseLogs('bytes', bytes, this.#range, block);
    this.#parts.push(part);
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

/** @throws ChainError when the answer is no longer waited for */
function checkScope(scope: RequestScope): void {
  if (scope.aborted || performance.now() >= scope.deadline) {
    throw new ChainError('aborted', 'the search for logs was given up');
  }
}

/** The wanted logs of one transaction. */
type TransactionLogs = {
  readonly transaction: { readonly hash: Uint8Array; readonly index: number };
  readonly logs: readonly { readonly span: RlpSpan; readonly logIndex: number }[];
};

const HASH_LENGTH = 32;

/** @param wanted indexes of logs in the block, ascending */
function findLogs(receipts: Uint8Array, wanted: readonly number[]): readonly TransactionLogs[] {
  const found: TransactionLogs[] = [];
  let logs: { span: RlpSpan; logIndex: number }[] = [];
  let next = 0;
  scanStoredReceipts(receipts, {
    onLog(span, logIndex) {
      if (logIndex !== wanted[next]) return;
      logs.push({ span, logIndex });
      next++;
    },
    onTransaction(hashAt, index) {
      if (logs.length === 0) return;
      found.push({ transaction: { hash: receipts.subarray(hashAt, hashAt + HASH_LENGTH), index }, logs });
      logs = [];
    },
  });
  return found;
}
