import { Lru } from '../util/lru.ts';
import type { Principal } from './principal.ts';

const CAPACITY = 2_000;
const KNOWN_MS = 600_000;

/**
 * Credentials that were recently valid, per key. An address that is blocked for wrong keys may use only known credentials. Otherwise a blocked client
 * that has a key could guess the secret of this key.
 */
export class KnownCredentials {
  readonly #known: Lru<string, true> = new Lru(CAPACITY, KNOWN_MS);

  /** Stores credentials. The caller must have verified them. */
  remember({ id }: Principal, authorization: string | undefined): void {
    const name = `${id} ${authorization}`;
    if (this.#known.get(name) === undefined) this.#known.set(name, true);
  }

  /** Whether the credentials were valid recently. Since then, they may have become invalid. */
  has({ id }: Principal, authorization: string | undefined): boolean {
    return this.#known.get(`${id} ${authorization}`) !== undefined;
  }
}
