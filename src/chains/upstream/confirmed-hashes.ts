import { Lru } from '../../util/lru.ts';

const MAX_HASHES = 16_384;
/** Lifetime of a hash outside the window of recent blocks, ms. */
export const OLD_HASH_TTL_MS = 300_000;

/** Hashes of old heights that two operators, or as many as agreement requires, have reported. */
export class ConfirmedHashes {
  readonly #hashes = new Lru<string, true>(MAX_HASHES, OLD_HASH_TTL_MS);

  has(hash: string): boolean {
    return this.#hashes.get(hash) === true;
  }

  add(hash: string): void {
    this.#hashes.set(hash, true);
  }

  clear(): void {
    this.#hashes.clear();
  }
}
