import { randomUUID } from 'node:crypto';
import {
  checkRecordText,
  MAX_OWNER_BYTES,
  MAX_SWEPT_FOR_ROOM,
  nameOwnerOf,
  type RecordTable,
  type StoredRecord,
  type WhenFull,
} from '../../src/shared-store/records/record-table.ts';

type Entry = StoredRecord & { readonly expiresAt: number };

/** Records of one owner and kind in write order, which is also their expiry order, and their total text length. */
type Owner = { readonly entries: Map<string, Entry>; bytes: number };

/** Owners swept of expired records at each new record, and maximum records of each. */
const SWEPT_OWNERS = 2;
const SWEPT_RECORDS = 16;

/** Records of one process, which end with it. */
export class MemoryRecordTable implements RecordTable {
  readonly #owners = new Map<string, Owner>();
  readonly #now: () => number;

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Number of records in memory, including expired ones. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#owners.values()) size += entries.size;
    return size;
  }

  read(name: string): StoredRecord | undefined {
    const entry = this.#owners.get(nameOwnerOf(name))?.entries.get(name);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry : undefined;
  }

  create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull: WhenFull = 'refuse',
  ): boolean {
    checkRecordText(text);
    this.#sweepSome();
    const ownerName = nameOwnerOf(name);
    const owner = this.#owners.get(ownerName) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    this.#makeRoom(owner, name, text, maxOfOwner, whenFull);
    if (!hasRoom(owner, name, text, maxOfOwner)) return false;
    this.#owners.set(ownerName, owner);
    this.#put(owner, name, text, lifeMs);
    return true;
  }

  replace(name: string, version: string, text: string, lifeMs: number): boolean {
    checkRecordText(text);
    const owner = this.#owners.get(nameOwnerOf(name));
    if (owner === undefined || this.read(name)?.version !== version) return false;
    this.#put(owner, name, text, lifeMs);
    return true;
  }

  remove(name: string): boolean {
    const wasThere = this.read(name) !== undefined;
    const ownerName = nameOwnerOf(name);
    const owner = this.#owners.get(ownerName);
    if (owner === undefined) return false;
    drop(owner, name);
    if (owner.entries.size === 0) this.#owners.delete(ownerName);
    return wasThere;
  }

  async close(): Promise<void> {
    this.#owners.clear();
  }

  /** Removes the first entries while there is no room and they are expired or may be removed. */
  #makeRoom(owner: Owner, name: string, text: string, maxOfOwner: number, whenFull: WhenFull): void {
    const now = this.#now();
    let left = MAX_SWEPT_FOR_ROOM;
    for (const [oldest, { expiresAt }] of owner.entries) {
      const isOver = whenFull === 'removeOldest' || expiresAt <= now;
      if (!isOver || left-- === 0 || hasRoom(owner, name, text, maxOfOwner)) return;
      if (oldest !== name) drop(owner, oldest);
    }
  }

  /** Writes an entry as the owner's last one. */
  #put(owner: Owner, name: string, text: string, lifeMs: number): void {
    drop(owner, name);
    owner.entries.set(name, { text, version: randomUUID(), expiresAt: this.#now() + lifeMs });
    owner.bytes += text.length;
  }

  /** Sweeps the owners swept longest ago. */
  #sweepSome(): void {
    let left = SWEPT_OWNERS;
    for (const [name, owner] of this.#owners) {
      if (left-- === 0) return;
      this.#sweep(owner);
      this.#owners.delete(name);
      if (owner.entries.size > 0) this.#owners.set(name, owner);
    }
  }

  #sweep(owner: Owner): void {
    const now = this.#now();
    let left = SWEPT_RECORDS;
    for (const [name, { expiresAt }] of owner.entries) {
      if (expiresAt > now || left-- === 0) return;
      drop(owner, name);
    }
  }
}

function drop(owner: Owner, name: string): void {
  const entry = owner.entries.get(name);
  if (entry === undefined) return;
  owner.entries.delete(name);
  owner.bytes -= entry.text.length;
}

function hasRoom({ entries, bytes }: Owner, name: string, text: string, maxOfOwner: number): boolean {
  const known = entries.get(name);
  const count = entries.size + (known === undefined ? 1 : 0);
  return count <= maxOfOwner && bytes + text.length - (known?.text.length ?? 0) <= MAX_OWNER_BYTES;
}
