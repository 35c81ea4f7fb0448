import { stat } from 'node:fs/promises';
import type { JWTVerifyGetKey } from 'jose';
import { Backoff } from '../util/backoff.ts';
import { readRegularFile } from '../util/read-file.ts';
import { readErrorCode } from '../util/system-error.ts';
import { fetchKeySet } from './fetch-key-set.ts';

/** Interval between checks of an issuer's key file, ms. */
const FILE_CHECK_MS = 2_000;
const MAX_FILE_BYTES = 1024 * 1024;

/** Minimum interval between fetches of a key set, ms. The interval also limits fetches caused by tokens with unknown key ids. */
const FETCH_PAUSE_MS = 30_000;
/** Backoff after failed fetches, ms. Jitter shortens each pause by up to half. */
const FAILURE_PAUSE = { firstMs: 2_000, maxMs: FETCH_PAUSE_MS };
/** Age from which a key set is fetched again before it is used, ms. */
const MAX_AGE_MS = 600_000;

/** jose's error code for a key id that is not in the key set. */
const NO_MATCHING_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

/**
 * Opens a key set (RFC 7517) at a URL or in a file.
 * @param now monotonic clock, ms
 * @returns a function that finds the key of a token; it rejects with jose's error if the key set lacks the key, and with any other error if the key
 * set is unavailable
 */
export function openKeySet(jwks: string, now: () => number): Promise<JWTVerifyGetKey> {
  return /^https?:\/\//.test(jwks) ? openRemoteKeys(jwks, now) : openKeyFile(jwks, now);
}

/**
 * Opens a key set at a URL. The set is fetched for the first token, for a token with an unknown key id, and if the set is older than `MAX_AGE_MS`.
 * Concurrent tokens share one fetch. No fetch starts before a pause of `FETCH_PAUSE_MS` has passed, or a backoff if the last fetch has failed.
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
      // After a failed fetch, an unknown key id is no proof of an invalid token: the issuer's current key set may contain the key.
      if (hasFailed) throw new Error('the key set cannot be fetched');
      if (keys === known || keys === undefined) throw error;
      return await keys(header, token);
    }
  };
}

/** Loads a key set from a file, and reloads the set when the file has changed. The old key set remains valid while the new file is unreadable. */
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
      // A token waits for the key file to be read only if no keys are loaded yet.
      if (keys === undefined) await looking;
    }
    if (keys === undefined) throw new Error('the file of keys cannot be read');
    return keys(header, token);
  };
}
