import type { Database } from 'lmdb';

/** A value of a key, and the block that set it. */
export type Version = {
  /** Block that set the value. */
  readonly since: number;
  readonly value: Uint8Array;
};

/** A key and its versions to write, oldest first. The first of these versions may be in the table already, as the newest version of the key. */
export type VersionedWrite = {
  readonly key: Uint8Array;
  readonly versions: readonly Version[];
};

/** Range of keys after `after` and with the prefix `prefix`, at most `limit` keys. */
export type KeyRange = { readonly after?: Uint8Array; readonly prefix?: Uint8Array; readonly limit: number };

/** A key and the number of the block that set its newest value. */
export type KeyAge = { readonly key: Uint8Array; readonly since: number };

/** Length of a block number, bytes: enough for 2^48 blocks. */
const NUMBER_LENGTH = 6;

/**
 * Values by key with their full history. The newest version of a key is found by one exact lookup, an older version by an additional range lookup.
 * The versions that a committed block has set never change. A reader at block N needs no snapshot: later commits do not change the versions up to
 * block N.
 */
export class VersionedTable {
  /** key -> number (6) of the block that set the value, value. */
  readonly #newest: Database<Buffer, Buffer>;
  /** key, number (6) of the block that set the value -> value, for values that a later block replaced. */
  readonly #replaced: Database<Buffer, Buffer>;
  /** Bounds of `#lastOfRange`, which iterates from `#start` down to `#end`, exclusively. */
  readonly #start: Buffer;
  readonly #end: Buffer;
  /** Range iterable that every lookup reuses, because creating one takes a quarter of the time of a lookup. */
  readonly #lastOfRange: Iterable<{ readonly key: Buffer; readonly value: Buffer }>;

  /** @param keyLength length of all keys, bytes */
  constructor(newest: Database<Buffer, Buffer>, replaced: Database<Buffer, Buffer>, keyLength: number) {
    this.#newest = newest;
    this.#replaced = replaced;
    this.#start = Buffer.alloc(keyLength + NUMBER_LENGTH);
    this.#end = Buffer.alloc(keyLength);
    this.#lastOfRange = replaced.getRange({ start: this.#start, end: this.#end, reverse: true, limit: 1 });
  }

  /** Returns the value of `key` after `block`; undefined if no block up to `block` has set a value. */
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
   * Lists keys in order, with the block that last set each.
   * @param after only keys greater than this one
   * @param prefix only keys with this prefix
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

  /**
   * Writes versions. Must be called within a write transaction. The last version becomes the newest version of the key; the earlier versions are
   * added to its history.
   */
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
/**
 * Suffix that converts a key to a lower bound of all greater keys. All keys of a table have the same length, so the lengthened key is below every
 * greater key.
 */
const NEXT_KEY = Buffer.of(0);
/** Suffix that converts a prefix to an upper bound of all keys with this prefix. */
const PAST_ALL_KEYS = Buffer.alloc(64, 0xff);
