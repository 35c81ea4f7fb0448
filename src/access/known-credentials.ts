import { Lru } from '../util/lru.ts';
import type { Principal } from './principal.ts';

const CAPACITY = 2_000;
const KNOWN_MS = 600_000;

/**
 * Which credentials have opened which key lately. From an address that has guessed too often nothing else is tried: to know
 * a key must not allow to search for the secret that belongs to it.
 */
export class KnownCredentials {
  readonly #known: Lru<string, true> = new Lru(CAPACITY, KNOWN_MS);

  /** After they have been found to be good. */
  remember({ id }: Principal, authorization: string | undefined): void {
    const name = `${id} ${authorization}`;
    if (this.#known.get(name) === undefined) this.#known.set(name, true);
  }

  /** Whether they were good a short time ago; they may have ceased to be. */
  has({ id }: Principal, authorization: string | undefined): boolean {
    return this.#known.get(`${id} ${authorization}`) !== undefined;
  }
}
