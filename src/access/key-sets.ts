import { stat } from 'node:fs/promises';
import type { JWTVerifyGetKey } from 'jose';
import { Backoff } from '../util/backoff.ts';
import { readRegularFile } from '../util/read-file.ts';
import { readErrorCode } from '../util/system-error.ts';
import { fetchKeySet } from './fetch-key-set.ts';

/** Between two looks at the file of an issuer's keys, also where it cannot be read, milliseconds. */
const FILE_CHECK_MS = 2_000;
const MAX_FILE_BYTES = 1024 * 1024;

/** From one fetch of a set to the next, for a token that names a key which is not in it. */
const FETCH_PAUSE_MS = 30_000;
/** The same where a fetch has failed; half of it or more. */
const FAILURE_PAUSE = { firstMs: 2_000, maxMs: FETCH_PAUSE_MS };
/** A set that is older is fetched again before it is used. */
const MAX_AGE_MS = 600_000;

/** jose's error code when a set lacks the key of a token. */
const NO_MATCHING_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

/**
 * Opens a key set (RFC 7517) at an address or in a file.
 * @param now a monotonic clock in milliseconds
 * @returns finds the key of a token; rejects with an error of jose that says that the set has none, any other error says that the set cannot be had
 */
export function openKeySet(jwks: string, now: () => number): Promise<JWTVerifyGetKey> {
  return /^https?:\/\//.test(jwks) ? openRemoteKeys(jwks, now) : openKeyFile(jwks, now);
}

/**
 * Fetched when it is needed, and again for a key that is not in it. However many tokens ask, one fetch is under way, and none begins before the
 * pause after the last one is over.
 */
async function openRemoteKeys(url: string, now: () => number): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import('jose');
  const backoff = new Backoff(FAILURE_PAUSE);
  let keys: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let fetching: Promise<void> | undefined;
  const fetchKeys = async (): Promise<void> => {
    try {
      keys = createLocalJWKSet(JSON.parse(await fetchKeySet(url)));
      fetchedAt = now();
      pausedUntil = fetchedAt + FETCH_PAUSE_MS;
      hasFailed = false;
      backoff.reset();
    } catch {
      pausedUntil = now() + backoff.next();
      hasFailed = true;
    }
    fetching = undefined;
  };
  const refresh = (): Promise<void> | undefined => {
    if (fetching === undefined && now() >= pausedUntil) fetching = fetchKeys();
    return fetching;
  };
  const isFresh = (): boolean => now() - fetchedAt < MAX_AGE_MS;
  return async (header, token) => {
    if (!isFresh()) await refresh();
    const known = keys;
    if (known === undefined || !isFresh()) throw new Error('the key set cannot be fetched');
    try {
      return await known(header, token);
    } catch (error) {
      if (readErrorCode(error) !== NO_MATCHING_KEY) throw error;
      await refresh();
      // The set that cannot be fetched may have the key.
      if (hasFailed) throw new Error('the key set cannot be fetched');
      if (keys === known || keys === undefined) throw error;
      return await keys(header, token);
    }
  };
}

/** Read again when it has changed; as long as the new one cannot be read the old one counts. */
async function openKeyFile(path: string, now: () => number): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import('jose');
  let keys: JWTVerifyGetKey | undefined;
  let [changedAt, lookedAt] = [-1, Number.NEGATIVE_INFINITY];
  const look = async (): Promise<void> => {
    lookedAt = now();
    const { mtimeMs, size } = await stat(path);
    if (mtimeMs === changedAt || size > MAX_FILE_BYTES) return;
    keys = createLocalJWKSet(JSON.parse(readRegularFile(path, MAX_FILE_BYTES).toString('utf8')));
    changedAt = mtimeMs;
  };
  let looking: Promise<void> | undefined;
  return async (header, token) => {
    if (looking !== undefined || now() - lookedAt > FILE_CHECK_MS) {
      looking ??= look()
        .catch(() => {})
        .finally(() => {
          looking = undefined;
        });
      // An issuer with keys does not wait for others.
      if (keys === undefined) await looking;
    }
    if (keys === undefined) throw new Error('the file of keys cannot be read');
    return keys(header, token);
  };
}
