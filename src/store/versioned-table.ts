import type { Database } from 'lmdb';

/** What a key's value became in some block. */
export type Version = {
  /** The block that set it. */
  readonly since: number;
  readonly value: Uint8Array;
};

/** A key and what it became in block after block, oldest first; the newest of the versions written before may come first. */
export type VersionedWrite = {
  readonly key: Uint8Array;
  readonly versions: readonly Version[];
};

/** A part of a table's keys. */
export type KeyRange = { readonly after?: Uint8Array; readonly prefix?: Uint8Array; readonly limit: number };

/** A key and the block that set its newest value. */
export type KeyAge = { readonly key: Uint8Array; readonly since: number };

/** Block numbers are counted from 0 one by one: 2^48 of them are enough. */
const NUMBER_LENGTH = 6;

/**
 * Values by key with all their history. The newest version of a key is found by one exact lookup, an older one by
 * another, ordered one. What a block set never changes, so that a reader at block N needs no snapshot: whatever is
 * committed between its lookups, the versions up to N are there.
 */
export class VersionedTable {
  /** key -> number of the block that set it (6), value. */
  readonly #newest: Database<Buffer, Buffer>;
  /** key, number of the block that set it (6) -> value that a later block replaced. */
  readonly #replaced: Database<Buffer, Buffer>;
  /** Where `#lastOfRange` starts, downwards, and before what it ends. */
  readonly #start: Buffer;
  readonly #end: Buffer;
  /** Iterated again for every lookup: making a range takes a quarter of a lookup's time. */
  readonly #lastOfRange: Iterable<{ readonly key: Buffer; readonly value: Buffer }>;

  /** @param keyLength of all keys, bytes */
  constructor(newest: Database<Buffer, Buffer>, replaced: Database<Buffer, Buffer>, keyLength: number) {
    this.#newest = newest;
    this.#replaced = replaced;
    this.#start = Buffer.alloc(keyLength + NUMBER_LENGTH);
    this.#end = Buffer.alloc(keyLength);
    this.#lastOfRange = replaced.getRange({ start: this.#start, end: this.#end, reverse: true, limit: 1 });
  }

  /** What `key` was after `block`; undefined when nothing had set it by then. */
  find(key: Uint8Array, block: number): Version | undefined {
    this.#end.set(key);
    const newest = this.#newest.get(this.#end);
    if (newest === undefined) return undefined;
    const since = newest.readUIntBE(0, NUMBER_LENGTH);
    if (since <= block) return { since, value: newest.subarray(NUMBER_LENGTH) };
    this.#start.set(key);
    this.#start.writeUIntBE(block, key.length, NUMBER_LENGTH);
    for (const { key: found, value } of this.#lastOfRange) {
      return { since: found.readUIntBE(key.length, NUMBER_LENGTH), value };
    }
    return undefined;
  }

  /**
   * Keys in their order with the blocks that set them last.
   * @param after only keys behind this one
   * @param prefix only keys that begin with these bytes
   */
  listKeys({ after, prefix, limit }: KeyRange): KeyAge[] {
    const range = {
      ...(prefix !== undefined && {
        start: Buffer.from(prefix),
        end: Buffer.concat([prefix, PAST_ALL_KEYS]),
      }),
      ...(after !== undefined && { start: Buffer.concat([after, NEXT_KEY]) }),
      limit,
    };
    const keys: KeyAge[] = [];
    for (const { key, value } of this.#newest.getRange(range)) {
      keys.push({ key, since: value.readUIntBE(0, NUMBER_LENGTH) });
    }
    return keys;
  }

  /** Within a write transaction: the last version becomes the newest, those before it become history. */
  write({ key, versions }: VersionedWrite): void {
    for (const { since, value } of versions.slice(0, -1)) {
      const joined = Buffer.concat([key, NO_NUMBER]);
      joined.writeUIntBE(since, key.length, NUMBER_LENGTH);
      this.#replaced.putSync(joined, Buffer.from(value));
    }
    const last = versions.at(-1);
    if (last === undefined) return;
    const newest = Buffer.concat([NO_NUMBER, last.value]);
    newest.writeUIntBE(last.since, 0, NUMBER_LENGTH);
    this.#newest.putSync(Buffer.from(key), newest);
  }
}

const NO_NUMBER = Buffer.alloc(NUMBER_LENGTH);
/** Keys of a table are of one length: behind a key comes first what is one byte longer. */
const NEXT_KEY = Buffer.of(0);
/** Longer than the rest of any key, and above it. */
const PAST_ALL_KEYS = Buffer.alloc(64, 0xff);
