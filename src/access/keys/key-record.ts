import * as z from 'zod';
import { type KeySettings, keySettingsSchema } from './key-settings.ts';

/** SHA-256 of one value of a key. A rotation gives the key a new value; the previous value remains valid until `until`. */
export type KeyHash = { readonly hash: string; readonly until?: string };

/** Metadata of a key. Times are ISO 8601. A record contains only hashes of credentials, so it is safe to display. */
export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** Hashes of the key's values, newest first. */
  readonly hashes: readonly KeyHash[];
  readonly settings: KeySettings;
};

const HASH = /^[0-9a-f]{64}$/;
const NAME = /^[\p{L}\p{N} ._@:/-]{1,64}$/u;
const time = z.iso.datetime();

export const keyNameSchema: z.ZodType<string> = z
  .string()
  .regex(NAME, 'expected 1 to 64 letters, digits, spaces or any of . _ @ : / -');

/** Schema of a stored record. A record from a shared server is validated, because another program may have written it. */
export const keyRecordSchema: z.ZodType<KeyRecord> = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: keyNameSchema,
  createdAt: time,
  revokedAt: time.exactOptional(),
  hashes: z
    .array(z.strictObject({ hash: z.string().regex(HASH), until: time.exactOptional() }))
    .min(1)
    .max(16),
  settings: keySettingsSchema,
});
