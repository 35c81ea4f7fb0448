/**
 * Fingerprints of cache entries that were evicted without a second request. A new fingerprint may overwrite an older one in its slot. If two names
 * have the same fingerprint, the only effect is that an entry is cached longer than necessary.
 */
export class Ghost {
  readonly #fingerprints: Uint32Array;

  /** @param places number of slots, a power of two */
  constructor(places: number) {
    this.#fingerprints = new Uint32Array(places);
  }

  /** Returns the memory of a table with `places` slots, bytes. */
  static countBytes(places: number): number {
    return Uint32Array.BYTES_PER_ELEMENT * places;
  }

  add(hash: number, tag: number): void {
    this.#fingerprints[hash & (this.#fingerprints.length - 1)] = tag;
  }

  /** Removes a fingerprint. @returns whether the fingerprint was present */
  take(hash: number, tag: number): boolean {
    const place = hash & (this.#fingerprints.length - 1);
    if (this.#fingerprints[place] !== tag) return false;
    this.#fingerprints[place] = 0;
    return true;
  }
}
