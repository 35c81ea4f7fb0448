import { randomUUID } from 'node:crypto';
import {
  checkRecordText,
  MAX_OWNER_BYTES,
  nameOwnerOf,
  type RecordTable,
  type StoredRecord,
  type WhenFull,
} from './record-table.ts';

type Entry = StoredRecord & { readonly expiresAt: number };

/** Records of one owner and kind, and bytes of their texts. */
type Owner = { readonly entries: Map<string, Entry>; bytes: number };

/** Owners that are looked through for what has expired, at each new record. */
const SWEPT_OWNERS = 2;

/** Records of one process, which end with it. */
export class MemoryRecordTable implements RecordTable {
  readonly #owners = new Map<string, Owner>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Records that are held, expired ones among them. */
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
    this.#sweep(ownerName);
    const owner = this.#owners.get(ownerName) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    if (whenFull === 'removeOldest') this.#makeRoom(owner, name, text, maxOfOwner);
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
    this.#drop(nameOwnerOf(name), name);
    return wasThere;
  }

  async close(): Promise<void> {
    this.#owners.clear();
  }

  #makeRoom(owner: Owner, name: string, text: string, maxOfOwner: number): void {
    for (const [oldest, entry] of owner.entries) {
      if (hasRoom(owner, name, text, maxOfOwner)) return;
      if (oldest === name) continue;
      owner.entries.delete(oldest);
      owner.bytes -= entry.text.length;
    }
  }

  /** The entry becomes the owner's last. */
  #put(owner: Owner, name: string, text: string, lifeMs: number): void {
    owner.bytes += text.length - (owner.entries.get(name)?.text.length ?? 0);
    owner.entries.delete(name);
    owner.entries.set(name, { text, version: randomUUID(), expiresAt: this.#now() + lifeMs });
  }

  #drop(ownerName: string, name: string): void {
    const owner = this.#owners.get(ownerName);
    const entry = owner?.entries.get(name);
    if (owner === undefined || entry === undefined) return;
    owner.entries.delete(name);
    owner.bytes -= entry.text.length;
    if (owner.entries.size === 0) this.#owners.delete(ownerName);
  }

  /** The owners that were looked at longest ago. */
  #sweepSome(): void {
    for (const [name] of [...this.#takeFirst()]) {
      this.#sweep(name);
      const owner = this.#owners.get(name);
      if (owner === undefined) continue;
      this.#owners.delete(name);
      this.#owners.set(name, owner);
    }
  }

  *#takeFirst(): Generator<[string, Owner], void, undefined> {
    let left = SWEPT_OWNERS;
    for (const one of this.#owners) {
      if (left-- === 0) return;
      yield one;
    }
  }

  #sweep(ownerName: string): void {
    const now = this.#now();
    for (const [name, { expiresAt }] of this.#owners.get(ownerName)?.entries ?? []) {
      if (expiresAt <= now) this.#drop(ownerName, name);
    }
  }
}

function hasRoom({ entries, bytes }: Owner, name: string, text: string, maxOfOwner: number): boolean {
  const known = entries.get(name);
  const count = entries.size + (known === undefined ? 1 : 0);
  return count <= maxOfOwner && bytes + text.length - (known?.text.length ?? 0) <= MAX_OWNER_BYTES;
}
