import { scanLogTerms, scanStoredReceipts } from '../../../chain/scan-receipts.ts';
import type { PostingTable } from './posting-table.ts';
import { type BinaryTable, numberKey, viewAsBuffer } from './schema.ts';

/** Tables of the log index. Logs are numbered over the whole chain, from 0. */
export type LogTables = {
  /** block number (8) -> number of logs in all earlier blocks (6). The block after the head also has an entry. */
  readonly logStarts: BinaryTable;
  /** number of a block's first log (6) -> block number (8). Blocks without logs are absent. */
  readonly logBlocks: BinaryTable;
  /** `addressTerm` or `topicTerm` -> ascending log numbers. */
  readonly logTerms: PostingTable;
};

const LOG_NUMBER_LENGTH = 6;
const ADDRESS_LENGTH = 20;
const TOPIC_LENGTH = 32;
/** First byte of a term for an address. The first byte of a term for a topic is the topic's position, 0 to 3. */
const ADDRESS_KIND = 4;

/** Returns the key of the posting list with the logs of an address (20 bytes). */
export function addressTerm(address: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(ADDRESS_KIND), address]);
}

/** Returns the key of the posting list with the logs that have a topic at a position. @param position index in the log's topics, 0 to 3 */
export function topicTerm(position: number, topic: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(position), topic]);
}

function logKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(LOG_NUMBER_LENGTH);
  key.writeUIntBE(number, 0, LOG_NUMBER_LENGTH);
  return key;
}

/** Returns the number of logs in all earlier blocks; undefined when the index does not cover the block. */
function readLogStart({ logStarts }: LogTables, block: bigint): number | undefined {
  return logStarts.get(numberKey(block))?.readUIntBE(0, LOG_NUMBER_LENGTH);
}

/** Returns the log numbers of blocks `from` to `to` as a half-open range. @throws Error when a block is not indexed */
export function readLogRange(tables: LogTables, from: bigint, to: bigint): readonly [number, number] {
  const start = readLogStart(tables, from);
  const end = readLogStart(tables, to + 1n);
  if (start === undefined || end === undefined) throw new Error('the log index lacks a block');
  return [start, end];
}

/** A block with the half-open range of its log numbers. */
export type LogBlock = { readonly number: bigint; readonly start: number; readonly end: number };

/** Finds the block of a log number. @throws Error when no block in the index contains this log */
export function findLogBlock(tables: LogTables, log: number): LogBlock {
  const floor = tables.logBlocks.getRange({ start: logKey(log), reverse: true, limit: 1 });
  for (const { key, value } of floor) {
    const number = value.readBigUInt64BE();
    const end = readLogStart(tables, number + 1n);
    if (end !== undefined && log < end) return { number, start: key.readUIntBE(0, LOG_NUMBER_LENGTH), end };
  }
  throw new Error(`the log index has no block for log ${log}`);
}

/** Collects the index entries of several blocks, so that each posting list is written only once. */
export class LogIndexBatch {
  readonly #tables: LogTables;
  /** Log numbers by term. Each topic position has one collection, and addresses have another. */
  readonly #terms: readonly TermNumbers[] = Array.from(
    { length: ADDRESS_KIND + 1 },
    (_, kind) => new TermNumbers(kind === ADDRESS_KIND ? ADDRESS_LENGTH : TOPIC_LENGTH),
  );
  #next: number;

  /** @param first number of the first block */
  constructor(tables: LogTables, first: bigint) {
    this.#tables = tables;
    this.#next = readLogStart(tables, first) ?? 0;
  }

  /** Adds a block. Must be called within a write transaction. @param receipts receipts of the block in the encoding of the store */
  add(block: bigint, receipts: Uint8Array, onTransaction: (hashAt: number, index: number) => void): void {
    const start = this.#next;
    const bytes = viewAsBuffer(receipts);
    const addresses = this.#terms[ADDRESS_KIND] as TermNumbers;
    scanStoredReceipts(receipts, {
      onTransaction,
      onLog: (span) => {
        const number = this.#next++;
        scanLogTerms(
          receipts,
          span,
          (at) => addresses.add(bytes, at, number),
          (at, position) => this.#terms[position]?.add(bytes, at, number),
        );
      },
    });
    if (block === 0n) this.#tables.logStarts.putSync(numberKey(0n), logKey(0));
    this.#tables.logStarts.putSync(numberKey(block + 1n), logKey(this.#next));
    if (this.#next > start) this.#tables.logBlocks.putSync(logKey(start), numberKey(block));
  }

  /** Writes the collected log numbers to the posting lists. Must be called within a write transaction, once per batch. */
  write(): void {
    for (const [kind, terms] of this.#terms.entries()) {
      KEY[0] = kind;
      terms.forEach((term, numbers) => {
        const length = KEY.write(term, 1, 'latin1');
        this.#tables.logTerms.append(KEY.subarray(0, 1 + length), numbers);
      });
    }
  }
}

/** Buffer that is reused for all keys, because LMDB copies keys. */
const KEY = Buffer.allocUnsafeSlow(1 + TOPIC_LENGTH);

/** Log numbers by address, or by topic at one position. A term is a string with one character per byte (Latin-1). */
class TermNumbers {
  readonly #length: number;
  readonly #numbers = new Map<string, number[]>();
  /** Bytes with the term that was added last, because consecutive logs often share a term. */
  #bytes: Buffer | undefined;
  #at = 0;
  #latest: number[] = [];

  /** @param length length of all terms, bytes */
  constructor(length: number) {
    this.#length = length;
  }

  /** Adds a log number to a term. @param at offset of the term in `bytes` */
  add(bytes: Buffer, at: number, number: number): void {
    if (!this.#isLatest(bytes, at)) {
      const term = bytes.toString('latin1', at, at + this.#length);
      let numbers = this.#numbers.get(term);
      if (numbers === undefined) {
        numbers = [];
        this.#numbers.set(term, numbers);
      }
      this.#latest = numbers;
      this.#bytes = bytes;
      this.#at = at;
    }
    this.#latest.push(number);
  }

  /** Visits terms approximately in key order, so that consecutive writes touch the same B-tree pages. */
  forEach(visit: (term: string, numbers: readonly number[]) => void): void {
    const terms = [...this.#numbers.keys()];
    const places = new Float64Array(terms.length);
    for (let i = 0; i < terms.length; i++) places[i] = orderOf(terms[i] as string) * MAX_TERMS + i;
    places.sort();
    for (const place of places) {
      const term = terms[place % MAX_TERMS] as string;
      visit(term, this.#numbers.get(term) as number[]);
    }
  }

  #isLatest(bytes: Buffer, at: number): boolean {
    const latest = this.#bytes;
    if (latest === undefined) return false;
    for (let i = 0; i < this.#length; i++) if (bytes[at + i] !== latest[this.#at + i]) return false;
    return true;
  }
}

/** Maximum number of terms in a batch, so that the sort key and the index of a term fit in one number below 2^53. */
const MAX_TERMS = 2 ** 22;
/** Zero bytes before an address that is encoded as a topic. */
const PADDING = '\0'.repeat(TOPIC_LENGTH - ADDRESS_LENGTH);

/** Returns a sort key below 2^25 from the first bytes of a term. Sorting by all bytes would take more time than it saves. */
function orderOf(term: string): number {
  const isPadded = term.startsWith(PADDING);
  const at = isPadded ? PADDING.length : 0;
  const start = (term.charCodeAt(at) << 16) | (term.charCodeAt(at + 1) << 8) | term.charCodeAt(at + 2);
  return isPadded ? start : start + 2 ** 24;
}
