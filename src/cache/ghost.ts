/**
 * Fingerprints of names that left before they were asked for again. A later one may take the place of an earlier one; a name that shares another's
 * fingerprint is kept longer than it should be, and nothing else.
 */
export class Ghost {
  readonly #fingerprints: Uint32Array;

  /** @param places a power of two */
  constructor(places: number) {
    this.#fingerprints = new Uint32Array(places);
  }

  /** Memory that so many places take. */
  static countBytes(places: number): number {
    return Uint32Array.BYTES_PER_ELEMENT * places;
  }

  add(hash: number, tag: number): void {
    this.#fingerprints[hash & (this.#fingerprints.length - 1)] = tag;
  }

  /** Whether a name is among them; it is not any more. */
  take(hash: number, tag: number): boolean {
    const place = hash & (this.#fingerprints.length - 1);
    if (this.#fingerprints[place] !== tag) return false;
    this.#fingerprints[place] = 0;
    return true;
  }
}
