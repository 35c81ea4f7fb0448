import * as z from 'zod';
import { type KeySettings, keySettingsSchema } from './key-settings.ts';

/** A form of the key that opens, by its SHA-256; after a rotation the one before, for a while. */
export type KeyHash = { readonly hash: string; readonly until?: string };

/** What is known of a key besides the key. Times are ISO 8601. Safe to show: it holds nothing that opens a door. */
export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** The newest first. */
  readonly hashes: readonly KeyHash[];
  readonly settings: KeySettings;
};

const HASH = /^[0-9a-f]{64}$/;
const NAME = /^[\p{L}\p{N} ._@:/-]{1,64}$/u;
const time = z.iso.datetime();

/** Schema of a stored record, which another program may have written. */
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
