import type { KeyRecord } from './key-record.ts';
import type { KeySettings } from './key-settings.ts';

/** A value of a key, without the value itself. */
type KeyValue = {
  /** Whether this is the newest value, which remains valid until the key expires or is revoked. */
  readonly isCurrent: boolean;
  /** Time until which a value that a rotation replaced remains valid, ISO 8601. */
  readonly validUntil?: string;
};

/** Record of a key for administrators, without its hashes. */
export type KeyDescription = Omit<KeyRecord, 'hashes' | 'settings'> & {
  readonly state: 'open' | 'expired' | 'revoked';
  /** Values of the key, newest first. */
  readonly keys: readonly KeyValue[];
  readonly settings: Omit<KeySettings, 'secretHash'> & { readonly secret?: true };
};

/** Describes a key without its hashes. @param now Unix time, ms */
export function describeKey(record: KeyRecord, now: number = Date.now()): KeyDescription {
  const { hashes, settings, id, name, ...times } = record;
  const { secretHash, ...shown } = settings;
  return {
    id,
    name,
    state: readState(record, now),
    ...times,
    keys: hashes.map(({ until }) =>
      until === undefined ? { isCurrent: true } : { isCurrent: false, validUntil: until },
    ),
    settings: { ...shown, ...(secretHash !== undefined && { secret: true }) },
  };
}

/** Returns the state of a key at a Unix time, ms. */
export function readState({ revokedAt, settings }: KeyRecord, now: number): KeyDescription['state'] {
  if (revokedAt !== undefined) return 'revoked';
  const { expiresAt } = settings;
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : 'open';
}
