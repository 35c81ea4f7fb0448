import type { KeyRecord } from './key-record.ts';
import type { KeySettings } from './key-settings.ts';

/** Record of a key for administrators, without its hashes. */
export type KeyDescription = Omit<KeyRecord, 'hashes' | 'settings'> & {
  readonly state: 'open' | 'expired' | 'revoked';
  /** Values of the key, newest first: `current`, or `opens until` with the time until which the value remains valid. */
  readonly keys: readonly string[];
  readonly settings: Omit<KeySettings, 'secretHash'> & { readonly secret?: true };
};

/** Describes a key without its hashes. @param now Unix time, ms */
export function describeKey(
  { hashes, settings, id, name, ...times }: KeyRecord,
  now: number = Date.now(),
): KeyDescription {
  const { secretHash, ...shown } = settings;
  const isOver = shown.expiresAt !== undefined && Date.parse(shown.expiresAt) <= now;
  return {
    id,
    name,
    state: times.revokedAt !== undefined ? 'revoked' : isOver ? 'expired' : 'open',
    ...times,
    keys: hashes.map(({ until }) => (until === undefined ? 'current' : `opens until ${until}`)),
    settings: { ...shown, ...(secretHash !== undefined && { secret: true }) },
  };
}
