import type { Database } from 'lmdb';

/** Length of a log number, bytes. Log numbers count from 0 over the whole chain and are below 2^47. */
const NUMBER_LENGTH = 6;
/**
 * Flag in the first number of an open chunk: the list also has closed chunks. Most lists have no closed chunks. If the flag is not set, a lookup does
 * not search the closed table.
 */
const HAS_CLOSED = 2 ** 47;

/** Length above which a chunk is closed, bytes. Above half an LMDB page, a value would occupy overflow pages. */
const MAX_CHUNK_LENGTH = 1_024;

/**
 * Posting lists: ascending lists of numbers by key. A list consists of chunks, each with a first number and LEB128 differences. No key may be a
 * prefix of another key. The last chunk of a list is open: it grows up to `MAX_CHUNK_LENGTH`, and one exact lookup finds it. Closed chunks are found
 * by key and first number. Numbers are never changed or removed. A reader that ignores numbers from a limit on therefore needs no snapshot.
 */
export class PostingTable {
  /** key -> first number (6, with `HAS_CLOSED`), differences. */
  readonly #open: Database<Buffer, Buffer>;
  /** key, first number (6) -> differences. */
  readonly #closed: Database<Buffer, Buffer>;
  /** One writer for all lists. Most appends add one number; allocating a buffer would take longer than writing the number. */
  readonly #chunk = new ChunkWriter();

  constructor(open: Database<Buffer, Buffer>, closed: Database<Buffer, Buffer>) {
    this.#open = open;
    this.#closed = closed;
  }

  /**
   * Appends numbers to a list; must be called within a write transaction.
   * @param numbers ascending, greater than all numbers of the list; at least one
   */
  append(key: Buffer, numbers: readonly number[]): void {
    const chunk = this.#chunk;
    chunk.load(this.#open.get(key));
    for (const number of numbers) {
      if (chunk.isFull) this.#closed.putSync(joinKey(key, chunk.first), chunk.takeDifferences());
      chunk.add(number);
    }
    this.#open.putSync(key, chunk.encoded);
  }

  /** Returns a cursor before the first number of a list. */
  openCursor(key: Buffer): PostingCursor {
    return new PostingCursor(key, this.#open.get(key), this.#closed);
  }

  clear(): void {
    this.#open.clearSync();
    this.#closed.clearSync();
  }
}

function joinKey(key: Buffer, first: number): Buffer {
  const joined = Buffer.allocUnsafe(key.length + NUMBER_LENGTH);
  joined.set(key);
  joined.writeUIntBE(first, key.length, NUMBER_LENGTH);
  return joined;
}

/** Builds chunks in one buffer: first number (6, with `HAS_CLOSED`), differences. */
class ChunkWriter {
  readonly #bytes = Buffer.allocUnsafeSlow(NUMBER_LENGTH + MAX_CHUNK_LENGTH + 2 * MAX_VARINT_LENGTH);
  /** Used length of `#bytes`; 0 before the first number. */
  #end = 0;
  #first = 0;
  #last = 0;
  #hasClosed = false;

  /** Loads a chunk to extend it. @param stored the open chunk; undefined for a new list */
  load(stored: Buffer | undefined): void {
    this.#end = 0;
    this.#hasClosed = false;
    if (stored === undefined) return;
    this.#bytes.set(stored);
    this.#end = stored.length;
    [this.#first, this.#hasClosed] = readFirst(stored);
    this.#last = this.#first + sumDifferences(this.#bytes, NUMBER_LENGTH, this.#end);
  }

  get isFull(): boolean {
    return this.#end > NUMBER_LENGTH + MAX_CHUNK_LENGTH;
  }

  get first(): number {
    return this.#first;
  }

  /** View of the encoded chunk, valid until the next change. */
  get encoded(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  add(number: number): void {
    if (this.#end === 0) {
      this.#first = number;
      this.#bytes.writeUIntBE(this.#hasClosed ? number + HAS_CLOSED : number, 0, NUMBER_LENGTH);
      this.#end = NUMBER_LENGTH;
    } else {
      this.#end = writeVarint(this.#bytes, this.#end, number - this.#last);
    }
    this.#last = number;
  }

  /** Closes the chunk: returns a view of its differences. The next added number starts a new chunk. */
  takeDifferences(): Buffer {
    const taken = this.#bytes.subarray(NUMBER_LENGTH, this.#end);
    this.#end = 0;
    this.#hasClosed = true;
    return taken;
  }
}

/** Returns the first number of an open chunk, and whether closed chunks precede it. */
function readFirst(open: Buffer): readonly [number, boolean] {
  const first = open.readUIntBE(0, NUMBER_LENGTH);
  return first < HAS_CLOSED ? [first, false] : [first - HAS_CLOSED, true];
}

/** Maximum LEB128 length of a difference below 2^53, bytes. */
const MAX_VARINT_LENGTH = 8;

function writeVarint(out: Buffer, at: number, value: number): number {
  let rest = value;
  let position = at;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[position++] = (rest % 0x80) | 0x80;
  out[position++] = rest;
  return position;
}

function sumDifferences(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start, scale = 1; at < end; at++) {
    const byte = bytes[at] as number;
    sum += (byte & 0x7f) * scale;
    scale = byte < 0x80 ? 1 : scale * 0x80;
  }
  return sum;
}

/** Result of a `seek` past the last number of a list; greater than all numbers. */
export const LIST_END: number = Number.POSITIVE_INFINITY;

/** Reads one list in ascending order. Chunks between two targets of `seek` are skipped. */
export class PostingCursor {
  readonly #key: Buffer;
  readonly #closed: Database<Buffer, Buffer>;
  readonly #openFirst: number;
  readonly #hasClosed: boolean;
  readonly #openDifferences: Buffer;
  /** Differences of the current chunk; `#at` is the offset of the next difference. */
  #chunk: Buffer = NO_BYTES;
  #at = 0;
  /** First number of the current chunk; LIST_END after the last chunk. */
  #first = -1;
  #isLastChunk = false;
  #current = -1;

  /** @param open encoded open chunk of the list; undefined for an empty list */
  constructor(key: Buffer, open: Buffer | undefined, closed: Database<Buffer, Buffer>) {
    this.#key = key;
    this.#closed = closed;
    [this.#openFirst, this.#hasClosed] = open === undefined ? [LIST_END, false] : readFirst(open);
    this.#openDifferences = open === undefined ? NO_BYTES : open.subarray(NUMBER_LENGTH);
  }

  /** Number that the last `seek` found; -1 before the first `seek`. */
  get current(): number {
    return this.#current;
  }

  /** Moves to the first number that is at least `target`; targets must never decrease. @returns the found number, or LIST_END */
  seek(target: number): number {
    if (target <= this.#current) return this.#current;
    if (this.#advance(target)) return this.#current;
    if (this.#isLastChunk) {
      this.#current = LIST_END;
      return LIST_END;
    }
    this.#loadChunk(target);
    while (!this.#advance(target)) {
      if (this.#isLastChunk) {
        this.#current = LIST_END;
        break;
      }
      this.#loadNextChunk();
    }
    return this.#current;
  }

  /**
   * Advances in the current chunk to the first number that is at least `target`.
   * @returns whether the chunk contains a number that is at least `target`
   */
  #advance(target: number): boolean {
    const chunk = this.#chunk;
    let [at, current] = [this.#at, this.#current];
    while (current < target && at < chunk.length) {
      let byte = chunk[at++] as number;
      let scale = 1;
      let difference = byte & 0x7f;
      while (byte >= 0x80) {
        byte = chunk[at++] as number;
        scale *= 0x80;
        difference += (byte & 0x7f) * scale;
      }
      current += difference;
    }
    this.#at = at;
    this.#current = current;
    return current >= target;
  }

  /** Loads the last chunk that begins at or before the target, or else the first chunk. */
  #loadChunk(target: number): void {
    if (!this.#hasClosed || target >= this.#openFirst) {
      this.#takeOpen();
      return;
    }
    const start = joinKey(this.#key, target);
    for (const { key, value } of this.#closed.getRange({ start, end: this.#key, reverse: true, limit: 1 })) {
      this.#take(key.readUIntBE(this.#key.length, NUMBER_LENGTH), value);
      return;
    }
    this.#first = -1;
    this.#loadNextChunk();
  }

  #loadNextChunk(): void {
    const start = joinKey(this.#key, this.#first + 1);
    const end = joinKey(this.#key, MAX_NUMBER);
    for (const { key, value } of this.#closed.getRange({ start, end, limit: 1 })) {
      const first = key.readUIntBE(this.#key.length, NUMBER_LENGTH);
      // The search ends before the open chunk that the cursor has loaded: if this chunk was closed afterwards, its numbers are also in
      // `#openDifferences`.
      if (first >= this.#openFirst) break;
      this.#take(first, value);
      return;
    }
    this.#takeOpen();
  }

  #takeOpen(): void {
    this.#take(this.#openFirst, this.#openDifferences);
    this.#isLastChunk = true;
  }

  #take(first: number, differences: Buffer): void {
    this.#first = first;
    this.#chunk = differences;
    this.#at = 0;
    this.#current = first;
  }
}

const NO_BYTES = Buffer.alloc(0);
const MAX_NUMBER = 2 ** (8 * NUMBER_LENGTH) - 1;
