import { Lru } from '../util/lru.ts';

/** Maximum number of keys that are remembered. */
const KEYS = 1_024;
/** Time for which a key counts as accepted after a response, ms. */
const ACCEPTED_MS = 10 * 60_000;
/** Owner of the requests whose keys the gateway has not accepted. Keys have no blanks. */
const UNKNOWN = 'unknown keys';

/**
 * Keys that the gateway has accepted lately. All other keys have one share of the requests together, so that nobody gets more shares with invented
 * keys.
 */
export class AcceptedKeys {
  readonly #keys = new Lru<string, true>(KEYS, ACCEPTED_MS);

  /** Notes that the gateway has answered a request with this key. */
  accept(key: string): void {
    this.#keys.set(key, true);
  }

  /** Returns whose share a request with this key uses. */
  ownerOf(key: string): string {
    return this.#keys.get(key) === true ? key : UNKNOWN;
  }
}
