import { Lru } from '../util/lru.ts';
import type { Principal } from './principal.ts';

const CAPACITY = 2_000;
const KNOWN_MS = 600_000;

/** Credentials that were recently valid, per key. A blocked address may use only these: a known key must not allow guessing of its secret. */
export class KnownCredentials {
  readonly #known: Lru<string, true> = new Lru(CAPACITY, KNOWN_MS);

  /** Must be called only after the credentials were verified. */
  remember({ id }: Principal, authorization: string | undefined): void {
    const name = `${id} ${authorization}`;
    if (this.#known.get(name) === undefined) this.#known.set(name, true);
  }

  /** Whether the credentials were valid recently; they may be invalid now. */
  has({ id }: Principal, authorization: string | undefined): boolean {
    return this.#known.get(`${id} ${authorization}`) !== undefined;
  }
}
