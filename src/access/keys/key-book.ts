import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from './api-key.ts';
import { readState } from './describe-key.ts';
import { type KeyRecord, keyNameSchema, keyRecordSchema } from './key-record.ts';
import { type KeySettings, keySettingsSchema, type SettingsChange } from './key-settings.ts';
import type { KeyTable } from './key-table.ts';

/**
 * New key, and its secret if it has one. The members `key` and `secret` are in clear text and are stored nowhere; the record contains their hashes.
 */
export type IssuedKey = { readonly key: string; readonly secret?: string; readonly record: KeyRecord };

/** Error: settings name a network, method or token issuer that is not in the configuration. */
export class UnknownNameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownNameError';
  }
}

/** Error: a key that is not valid cannot have a new value, which would not be valid either. */
export class ClosedKeyError extends Error {
  constructor(record: KeyRecord, now: number) {
    super(
      readState(record, now) === 'revoked'
        ? `the key was revoked at ${record.revokedAt}: create a new key`
        : `the key expired at ${record.settings.expiresAt}: change its expiry first, or create a new key`,
    );
    this.name = 'ClosedKeyError';
  }
}

/** Checks the names in the settings of a key. @throws UnknownNameError, also by rejection */
export type NameCheck = (settings: SettingsChange) => void | Promise<void>;

/** Maximum number of values of a key that are valid at the same time. A further rotation invalidates the oldest value, even within its `graceMs`. */
const MAX_FORMS = 4;

/** Creates, changes, rotates and revokes keys, for the command `portcullis keys` and for the Admin API. */
export class KeyBook {
  readonly #table: KeyTable;
  readonly #checkNames: NameCheck;

  /** @param checkNames checks the names in settings before they are stored; by default, any names are stored */
  constructor(table: KeyTable, checkNames: NameCheck = () => {}) {
    this.#table = table;
    this.#checkNames = checkNames;
  }

  /**
   * Creates a key.
   * @throws ZodError for an invalid name or invalid settings, UnknownNameError
   */
  async create(name: string, settings: KeySettings, hasSecret: boolean): Promise<IssuedKey> {
    await this.#checkNames(settings);
    const key = generateApiKey();
    const secret = hasSecret ? generateApiKey() : undefined;
    const record = keyRecordSchema.parse({
      id: randomBytes(6).toString('hex'),
      name,
      createdAt: new Date().toISOString(),
      hashes: [{ hash: hashApiKey(key) }],
      settings: { ...settings, ...(secret !== undefined && { secretHash: hashApiKey(secret) }) },
    });
    await this.#table.insert(record);
    return { key, record, ...(secret !== undefined && { secret }) };
  }

  /** Returns all keys ever created, including revoked ones, oldest first. */
  async list(): Promise<readonly KeyRecord[]> {
    const records = await this.#table.list();
    return [...records].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  }

  async find(id: string): Promise<KeyRecord | undefined> {
    return this.#table.get(id);
  }

  /**
   * Changes settings of a key.
   * @param newName new name of the key; by default, the key keeps its name
   * @returns undefined for an unknown id
   * @throws ZodError for an invalid name or invalid settings, UnknownNameError; the stored key then does not change
   */
  async update(id: string, change: SettingsChange, newName?: string): Promise<KeyRecord | undefined> {
    await this.#checkNames(change);
    return this.#table.modify(id, (record) => {
      const merged = Object.entries({ ...record.settings, ...change }).filter(
        ([, value]) => value !== undefined,
      );
      const name = newName === undefined ? record.name : keyNameSchema.parse(newName);
      return { ...record, name, settings: keySettingsSchema.parse(Object.fromEntries(merged)) };
    });
  }

  /**
   * Generates a new value for a key, but not a new secret. Previous values remain valid for at most `graceMs` milliseconds.
   * @returns undefined for an unknown id
   * @throws ClosedKeyError for a revoked or expired key, which then does not change
   */
  async rotate(id: string, graceMs: number): Promise<IssuedKey | undefined> {
    const key = generateApiKey();
    const now = Date.now();
    const until = new Date(now + graceMs).toISOString();
    const record = await this.#table.modify(id, (old) => {
      if (readState(old, now) !== 'open') throw new ClosedKeyError(old, now);
      return {
        ...old,
        hashes: [
          { hash: hashApiKey(key) },
          ...old.hashes
            .map((form) => ({
              hash: form.hash,
              until: form.until === undefined || form.until > until ? until : form.until,
            }))
            .filter((form) => Date.parse(form.until) > now)
            .slice(0, MAX_FORMS - 1),
        ],
      };
    });
    return record === undefined ? undefined : { key, record };
  }

  /**
   * Revokes a key. Revoking a revoked key does not change its `revokedAt`.
   * @returns undefined for an unknown id
   */
  revoke(id: string): Promise<KeyRecord | undefined> {
    return this.#table.modify(id, (record) => ({
      ...record,
      revokedAt: record.revokedAt ?? new Date().toISOString(),
    }));
  }

  close(): Promise<void> {
    return this.#table.close();
  }
}
