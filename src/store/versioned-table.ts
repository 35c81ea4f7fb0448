import type { Database } from 'lmdb';

/** What a key's value became in some block. */
export type Version = {
  /** The block that set it. */
  readonly since: number;
  readonly value: Uint8Array;
};

/** A key and what it became in block after block, oldest first; versions that were written before may come first. */
export type VersionedWrite = {
  readonly key: Uint8Array;
  readonly versions: readonly Version[];
};

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

  constructor(newest: Database<Buffer, Buffer>, replaced: Database<Buffer, Buffer>) {
    this.#newest = newest;
    this.#replaced = replaced;
  }

  /** What `key` was after `block`; undefined when nothing had set it by then. */
  find(key: Uint8Array, block: number): Version | undefined {
    const keyBuffer = viewAsBuffer(key);
    const newest = this.#newest.get(keyBuffer);
    if (newest === undefined) return undefined;
    const since = newest.readUIntBE(0, NUMBER_LENGTH);
    if (since <= block) return { since, value: newest.subarray(NUMBER_LENGTH) };
    const range = { start: joinKey(keyBuffer, block), end: keyBuffer, reverse: true, limit: 1 } as const;
    for (const entry of this.#replaced.getRange(range)) {
      return { since: entry.key.readUIntBE(key.length, NUMBER_LENGTH), value: entry.value };
    }
    return undefined;
  }

  /** Within a write transaction: the last version becomes the newest, those before it become history. */
  write({ key, versions }: VersionedWrite): void {
    const keyBuffer = viewAsBuffer(key);
    for (const [index, { since, value }] of versions.entries()) {
      if (index < versions.length - 1) {
        this.#replaced.putSync(joinKey(keyBuffer, since), viewAsBuffer(value));
        continue;
      }
      const newest = Buffer.allocUnsafe(NUMBER_LENGTH + value.length);
      newest.writeUIntBE(since, 0, NUMBER_LENGTH);
      newest.set(value, NUMBER_LENGTH);
      this.#newest.putSync(keyBuffer, newest);
    }
  }
}

function joinKey(key: Buffer, block: number): Buffer {
  const joined = Buffer.allocUnsafe(key.length + NUMBER_LENGTH);
  joined.set(key);
  joined.writeUIntBE(block, key.length, NUMBER_LENGTH);
  return joined;
}

function viewAsBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
