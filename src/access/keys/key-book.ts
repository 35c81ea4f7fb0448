import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from './api-key.ts';
import { type KeyRecord, keyRecordSchema } from './key-record.ts';
import { type KeySettings, keySettingsSchema } from './key-settings.ts';
import type { KeyTable } from './key-table.ts';

/** A key, and a secret where it has one, at the only moment they are readable. */
export type IssuedKey = { readonly key: string; readonly secret?: string; readonly record: KeyRecord };

/** What may be changed of a key: undefined takes a setting back. */
export type SettingsChange = { readonly [K in keyof KeySettings]?: KeySettings[K] | undefined };

/** Forms of a key that open at the same time: of rotations in quick succession the oldest end early. */
const MAX_FORMS = 4;

/** Looks after keys: what `portcullis keys` does. */
export class KeyBook {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** @throws ZodError when name or settings cannot be meant */
  async create(name: string, settings: KeySettings, hasSecret: boolean): Promise<IssuedKey> {
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

  /** All keys ever created, oldest first. */
  async list(): Promise<readonly KeyRecord[]> {
    const records = await this.#table.list();
    return [...records].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  }

  async find(id: string): Promise<KeyRecord | undefined> {
    return (await this.#table.list()).find((record) => record.id === id);
  }

  /** @throws ZodError when the settings cannot be meant; the old ones stay then */
  update(id: string, change: SettingsChange): Promise<KeyRecord | undefined> {
    return this.#table.modify(id, (record) => {
      const merged = Object.entries({ ...record.settings, ...change }).filter(
        ([, value]) => value !== undefined,
      );
      return { ...record, settings: keySettingsSchema.parse(Object.fromEntries(merged)) };
    });
  }

  /** Gives the key a new form. The old one opens for `graceMs` more; a secret stays as it is. */
  async rotate(id: string, graceMs: number): Promise<IssuedKey | undefined> {
    const key = generateApiKey();
    const now = Date.now();
    const until = new Date(now + graceMs).toISOString();
    const record = await this.#table.modify(id, (old) => ({
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
    }));
    return record === undefined ? undefined : { key, record };
  }

  /** Revoking twice keeps the first time. */
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
