import { Lru } from '../util/lru.ts';
import type { Principal } from './principal.ts';

const CAPACITY = 2_000;
const KNOWN_MS = 600_000;

/**
 * Credentials that were recently valid, per key. An address that is blocked for wrong keys may use only known credentials. Without this rule, a
 * blocked client that has a key could still guess the key's secret.
 */
export class KnownCredentials {
  readonly #known: Lru<string, true> = new Lru(CAPACITY, KNOWN_MS);

  /** Stores credentials that the caller has verified. */
  remember({ id }: Principal, authorization: string | undefined): void {
    const name = `${id} ${authorization}`;
    if (this.#known.get(name) === undefined) this.#known.set(name, true);
  }

  /** Whether the credentials were valid within the last ten minutes; they may be invalid now. */
  has({ id }: Principal, authorization: string | undefined): boolean {
    return this.#known.get(`${id} ${authorization}`) !== undefined;
  }
}
