import * as z from 'zod';
import { type KeySettings, keySettingsSchema } from './key-settings.ts';

/** Form of a key, as its SHA-256. After a rotation, the previous form remains valid until `until`. */
export type KeyHash = { readonly hash: string; readonly until?: string };

/** Metadata of a key. Times are ISO 8601. The record is safe to display: it contains no credentials, only their hashes. */
export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** Forms of the key, newest first. */
  readonly hashes: readonly KeyHash[];
  readonly settings: KeySettings;
};

const HASH = /^[0-9a-f]{64}$/;
const NAME = /^[\p{L}\p{N} ._@:/-]{1,64}$/u;
const time = z.iso.datetime();

/** Schema of a stored record. Another program may have written the record. */
export const keyRecordSchema: z.ZodType<KeyRecord> = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: z.string().regex(NAME, 'expected 1 to 64 letters, digits, spaces or any of . _ @ : / -'),
  createdAt: time,
  revokedAt: time.exactOptional(),
  hashes: z
    .array(z.strictObject({ hash: z.string().regex(HASH), until: time.exactOptional() }))
    .min(1)
    .max(16),
  settings: keySettingsSchema,
});
