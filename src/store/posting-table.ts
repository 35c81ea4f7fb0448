import type { Database } from 'lmdb';

/** Numbers in lists are those of logs, counted over the whole chain from 0: 2^48 of them are enough. */
const NUMBER_LENGTH = 6;

/** A chunk that is longer is closed, bytes. Values above half a page of LMDB would take pages of their own. */
const MAX_CHUNK_LENGTH = 1_024;

/**
 * Ascending lists of numbers by key, none of which is the beginning of another, in chunks: the first number, then differences as LEB128. The last chunk of a list is found by one exact
 * lookup, and numbers are added to it until it is long; closed chunks are found by key and first number. What is in a list never changes
 * and keeps its place among the chunks, so that a reader that knows where to stop needs no snapshot.
 */
export class PostingTable {
  /** key -> first number (6), differences. */
  readonly #open: Database<Buffer, Buffer>;
  /** key, first number (6) -> differences. */
  readonly #closed: Database<Buffer, Buffer>;

  constructor(open: Database<Buffer, Buffer>, closed: Database<Buffer, Buffer>) {
    this.#open = open;
    this.#closed = closed;
  }

  /** Within a write transaction. @param numbers ascending, above all that the list has; at least one */
  append(key: Buffer, numbers: readonly number[]): void {
    const stored = this.#open.get(key);
    const chunk = new ChunkWriter(stored);
    for (const number of numbers) {
      if (chunk.length > MAX_CHUNK_LENGTH) {
        this.#closed.putSync(joinKey(key, chunk.first), chunk.takeDifferences());
      }
      chunk.add(number);
    }
    this.#open.putSync(key, chunk.encode());
  }

  /** A cursor before the first number of the list. */
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

/** Builds chunks one after the other. */
class ChunkWriter {
  #bytes: Buffer;
  /** Of `#bytes`, in use. */
  #end = 0;
  #first = -1;
  #last = -1;

  /** @param stored the chunk that is open */
  constructor(stored: Buffer | undefined) {
    this.#bytes = Buffer.allocUnsafe(MAX_CHUNK_LENGTH + 2 * MAX_VARINT_LENGTH);
    if (stored === undefined) return;
    this.#first = stored.readUIntBE(0, NUMBER_LENGTH);
    this.#bytes.set(stored.subarray(NUMBER_LENGTH));
    this.#end = stored.length - NUMBER_LENGTH;
    this.#last = sumDifferences(this.#first, this.#bytes, this.#end);
  }

  /** Of the differences, bytes. */
  get length(): number {
    return this.#end;
  }

  get first(): number {
    return this.#first;
  }

  add(number: number): void {
    if (this.#first === -1) this.#first = number;
    else this.#end = writeVarint(this.#bytes, this.#end, number - this.#last);
    this.#last = number;
  }

  /** The chunk's differences; the next number begins another chunk. */
  takeDifferences(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    this.#first = -1;
    return taken;
  }

  encode(): Buffer {
    const encoded = Buffer.allocUnsafe(NUMBER_LENGTH + this.#end);
    encoded.writeUIntBE(this.#first, 0, NUMBER_LENGTH);
    encoded.set(this.#bytes.subarray(0, this.#end), NUMBER_LENGTH);
    return encoded;
  }
}

/** Of a difference below 2^53. */
const MAX_VARINT_LENGTH = 8;

function writeVarint(out: Buffer, at: number, value: number): number {
  let rest = value;
  let position = at;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[position++] = (rest % 0x80) | 0x80;
  out[position++] = rest;
  return position;
}

function sumDifferences(first: number, bytes: Uint8Array, end: number): number {
  let sum = first;
  for (let at = 0, scale = 1; at < end; at++) {
    const byte = bytes[at] as number;
    sum += (byte & 0x7f) * scale;
    scale = byte < 0x80 ? 1 : scale * 0x80;
  }
  return sum;
}

/** Above all numbers of lists: the list has no more. */
export const LIST_END: number = Number.POSITIVE_INFINITY;

/** Reads one list forward; chunks between two places that are asked for are not read. */
export class PostingCursor {
  readonly #key: Buffer;
  readonly #closed: Database<Buffer, Buffer>;
  readonly #openFirst: number;
  readonly #openDifferences: Buffer;
  /** Differences of the chunk that is being read, and where the next one is. */
  #chunk: Buffer = NO_BYTES;
  #at = 0;
  /** First number of the chunk; LIST_END behind the last chunk. */
  #first = -1;
  #isLastChunk = false;
  #current = -1;

  /** @param open the last chunk as the table has it */
  constructor(key: Buffer, open: Buffer | undefined, closed: Database<Buffer, Buffer>) {
    this.#key = key;
    this.#closed = closed;
    this.#openFirst = open === undefined ? LIST_END : open.readUIntBE(0, NUMBER_LENGTH);
    this.#openDifferences = open === undefined ? NO_BYTES : open.subarray(NUMBER_LENGTH);
  }

  /** The number that `seek` has found last; -1 before. */
  get current(): number {
    return this.#current;
  }

  /** Goes to the first number that is at least `target`, which never becomes smaller. @returns it, or LIST_END */
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

  /** Reads on in the chunk. @returns whether it has such a number */
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

  /** Takes the last chunk that begins at or before the target, or the first one. */
  #loadChunk(target: number): void {
    if (target >= this.#openFirst) {
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
      // One that was closed since the cursor was opened: its beginning is the chunk that was open then.
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
