import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { prepareLmdbFolder } from '../util/lmdb-folder.ts';
import { Lru } from '../util/lru.ts';
import { generateApiKey, hashApiKey, isApiKey, type KeyVerifier, type Principal } from './api-keys.ts';

/** What is known of a key besides the key. Times are ISO 8601. */
export type KeyRecord = Principal & { readonly createdAt: string; readonly revokedAt?: string };

/** A key at the only moment it is readable. */
export type CreatedKey = { readonly key: string; readonly record: KeyRecord };

/** A revoked key must die within a second, also when another process revoked it. */
const VERIFIED_TTL_MS = 1_000;
const VERIFIED_CAPACITY = 10_000;
const NAME_PATTERN = /^[\p{L}\p{N} ._@:/-]{1,64}$/u;

/** Keys in an LMDB environment of their own, `<dataDir>/keys`: SHA-256 of the key -> record. */
export class LmdbKeyStore implements KeyVerifier {
  readonly #db: RootDatabase<KeyRecord, string>;
  readonly #verified: Lru<string, Principal>;

  constructor(dataDir: string, now?: () => number) {
    const path = join(dataDir, 'keys');
    prepareLmdbFolder(path);
    this.#db = open<KeyRecord, string>({ path, noSubdir: false, encoding: 'json', mapSize: 1 << 28 });
    this.#verified = new Lru(VERIFIED_CAPACITY, VERIFIED_TTL_MS, now);
  }

  /** @throws RangeError when the name is not 1 to 64 plain characters. */
  async create(name: string): Promise<CreatedKey> {
    if (!NAME_PATTERN.test(name)) {
      throw new RangeError('a key name is 1 to 64 letters, digits, spaces or any of . _ @ : / -');
    }
    const key = generateApiKey();
    const record: KeyRecord = {
      id: randomBytes(6).toString('hex'),
      name,
      createdAt: new Date().toISOString(),
    };
    await this.#write(hashApiKey(key), record);
    return { key, record };
  }

  /** All keys ever created, oldest first. */
  list(): KeyRecord[] {
    this.#db.resetReadTxn();
    const records = Array.from(this.#db.getRange(), ({ value }) => value);
    return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** `undefined` when no key has this id; revoking twice keeps the first time. */
  async revoke(id: string): Promise<KeyRecord | undefined> {
    this.#db.resetReadTxn();
    for (const { key: hash, value } of this.#db.getRange()) {
      if (value.id !== id) continue;
      const revoked: KeyRecord = { ...value, revokedAt: value.revokedAt ?? new Date().toISOString() };
      await this.#write(hash, revoked);
      this.#verified.clear();
      return revoked;
    }
    return undefined;
  }

  verify(key: string): Principal | undefined {
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    if (!isApiKey(key)) return undefined;
    this.#db.resetReadTxn();
    const record = this.#db.get(hashApiKey(key));
    if (record === undefined || record.revokedAt !== undefined) return undefined;
    const principal: Principal = { id: record.id, name: record.name };
    this.#verified.set(key, principal);
    return principal;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  async #write(hash: string, record: KeyRecord): Promise<void> {
    await this.#db.put(hash, record);
    await this.#db.flushed;
  }
}
