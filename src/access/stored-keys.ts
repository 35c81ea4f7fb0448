import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../packages/ethereum/primitives/promise-or-value.ts';
import { Lru } from '../util/lru.ts';
import { KeyRules } from './key-rules.ts';
import { hashApiKey, isApiKey } from './keys/api-key.ts';
import type { KeyRecord } from './keys/key-record.ts';
import type { KeySettings } from './keys/key-settings.ts';
import { KeysUnreadableError, type KeyTable } from './keys/key-table.ts';
import type { KeyVerifier, Principal, Terms } from './principal.ts';

/**
 * Returns the time until which a key is accepted, Unix ms. Returns undefined if the key is not valid now.
 * @param hash SHA-256 of the presented key
 * @param now Unix ms
 */
function findOpening(record: KeyRecord, hash: string, now: number): { readonly until: number } | undefined {
  const form = record.hashes.find((one) => one.hash === hash);
  if (form === undefined || record.revokedAt !== undefined) return undefined;
  const ends = [form.until, record.settings.expiresAt].map((text) =>
    text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text),
  );
  const until = Math.min(...ends);
  return until > now ? { until } : undefined;
}

/** Limits of keys that have no limits of their own. */
export type DefaultTerms = Pick<KeySettings, 'rate' | 'dailyCredits'>;

export type StoredKeysOptions = {
  readonly table: KeyTable;
  readonly defaults: DefaultTerms;
  /** Duration for which known keys remain valid while the table cannot be read, ms. */
  readonly staleMs: number;
  /** Called when a known key is accepted although the table cannot be read. */
  readonly onStale: () => void;
  /** Called when the server that stores the keys answered before and does not answer now. */
  readonly onLost?: () => void;
  /** Called when that server answers again. */
  readonly onReturned?: () => void;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
  /** Previous verifier of the same table; its cached records are copied. */
  readonly before?: StoredKeys;
};

/** Maximum age of a cached record, ms. A revoked key must stop working within a second, whichever process revokes it. */
const FRESH_MS = 500;
/** Age from which a valid record is read again in the background, ms. Requests use the cached record while the background read runs. */
const AGING_MS = 250;
const CAPACITY = 10_000;

type Known = {
  readonly record: KeyRecord;
  readonly principal: Principal;
  /** Time at which the key's validity ends, Unix ms. */
  readonly until: number;
  readAt: number;
  reading: Promise<Principal | undefined> | undefined;
};

/** Verifies keys with the records of a table. A cached record is used for less than a second, or longer while the table cannot be read. */
export class StoredKeys implements KeyVerifier {
  readonly #options: StoredKeysOptions;
  readonly #now: () => number;
  /** Cached records by unhashed key, so that a key is hashed once per read of its record, not once per request. */
  readonly #known: Lru<string, Known>;
  /** In-flight reads of keys that are not cached, by key. */
  readonly #firsts = new Map<string, Promise<Principal | undefined>>();
  /** Whether the server that stores the keys did not answer the last read. */
  #isLost = false;

  constructor(options: StoredKeysOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#known = new Lru(CAPACITY, options.staleMs + FRESH_MS, this.#now);
    if (options.before !== undefined) this.#takeOver(options.before);
  }

  verify(key: string): PromiseOrValue<Principal | undefined> {
    const known = this.#known.get(key);
    if (known === undefined) return isApiKey(key) ? this.#readFirst(key) : undefined;
    const age = this.#now() - known.readAt;
    if (age < AGING_MS) return openWith(known);
    if (age >= FRESH_MS) return known.reading ?? this.#read(key, known);
    if (known.reading === undefined) void this.#read(key, known);
    return openWith(known);
  }

  isKnown(key: string): boolean {
    return this.#known.get(key) !== undefined;
  }

  /**
   * Copies the cached records of the previous verifier, including their age. A key that was revoked in the meantime is dropped at its next read, at
   * most half a second later.
   */
  #takeOver(before: StoredKeys): void {
    for (const key of before.#known.keys()) {
      const entry = before.#known.get(key);
      if (entry === undefined) continue;
      const principal = createPrincipal(entry.record, this.#options.defaults);
      this.#known.set(key, { ...entry, principal, reading: undefined });
    }
  }

  /** Reads a key that is not cached. Concurrent reads of one key are coalesced. */
  #readFirst(key: string): PromiseOrValue<Principal | undefined> {
    const reading = this.#firsts.get(key);
    if (reading !== undefined) return reading;
    const outcome = this.#read(key, undefined);
    if (!(outcome instanceof Promise)) return outcome;
    this.#firsts.set(key, outcome);
    const forget = (): void => void this.#firsts.delete(key);
    outcome.then(forget, forget);
    return outcome;
  }

  #read(key: string, known: Known | undefined): PromiseOrValue<Principal | undefined> {
    const hash = hashApiKey(key);
    const outcome = recoverWith(
      () =>
        continueWith(this.#options.table.findByHash(hash, known === undefined), (record) =>
          this.#keep(key, hash, record, known),
        ),
      (error) => this.#keepOpen(known, error),
    );
    if (known === undefined || !(outcome instanceof Promise)) return outcome;
    known.reading = outcome;
    // `forget` also handles a rejection, because a background read has no waiting caller.
    const forget = (): void => {
      known.reading = undefined;
    };
    outcome.then(forget, forget);
    return outcome;
  }

  #keep(
    key: string,
    hash: string,
    record: KeyRecord | undefined,
    known: Known | undefined,
  ): Principal | undefined {
    if (this.#isLost) {
      this.#isLost = false;
      this.#options.onReturned?.();
    }
    const opening = record === undefined ? undefined : findOpening(record, hash, Date.now());
    if (record === undefined || opening === undefined) {
      this.#known.delete(key);
      return undefined;
    }
    const isSame = known !== undefined && JSON.stringify(known.record) === JSON.stringify(record);
    const principal = isSame ? known.principal : createPrincipal(record, this.#options.defaults);
    const { until } = opening;
    this.#known.set(key, { record, principal, until, readAt: this.#now(), reading: undefined });
    return principal;
  }

  /** While the table cannot be read, accepts a key that was valid recently, and throws `error` for any other key. */
  #keepOpen(known: Known | undefined, error: unknown): Principal | undefined {
    if (!this.#isLost && error instanceof KeysUnreadableError) {
      this.#isLost = true;
      this.#options.onLost?.();
    }
    if (known === undefined || this.#now() - known.readAt > this.#options.staleMs) throw error;
    this.#options.onStale();
    return openWith(known);
  }
}

function openWith({ principal, until }: Known): Principal | undefined {
  return until === Number.POSITIVE_INFINITY || Date.now() < until ? principal : undefined;
}

function createPrincipal({ id, name, settings }: KeyRecord, defaults: DefaultTerms): Principal {
  const terms: Terms = {
    rules: KeyRules.of(settings),
    rate: settings.rate ?? defaults.rate,
    dailyCredits: settings.dailyCredits ?? defaults.dailyCredits,
    secretHash: settings.secretHash,
    jwt: settings.jwt,
  };
  const hasTerms = Object.values(terms).some((term) => term !== undefined);
  return hasTerms ? { id, name, terms } : { id, name };
}
