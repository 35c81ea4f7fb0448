/** Slots per group. The hashes of a name select two groups; the record with the name is in one of them. */
const GROUP = 8;
const SPREAD = 0x9e3779b1;

/**
 * Index of records by the two hashes of their names. Different names may have the same hashes, so the caller compares the name of each match. A
 * look-up checks at most 16 slots, whatever the load; if all 16 are occupied, an insertion displaces a record.
 */
export class NameIndex {
  readonly #mask: number;
  readonly #tags: Uint32Array;
  /** References to records; 0 for a free slot. */
  readonly #refs: Uint32Array;
  /** Position of the last match in the probe sequence. */
  #probe = 0;

  /** @param places number of slots, a power of two, at least two groups */
  constructor(places: number) {
    this.#mask = places / GROUP - 1;
    this.#tags = new Uint32Array(places);
    this.#refs = new Uint32Array(places);
  }

  /** Returns the memory of an index with `places` slots, bytes. */
  static countBytes(places: number): number {
    return 2 * Uint32Array.BYTES_PER_ELEMENT * places;
  }

  /** Returns the first record that may have a name with these hashes; 0 if there is none. */
  find(hash: number, tag: number): number {
    return this.#findFrom(hash, tag, 0);
  }

  /** Returns the next record with these hashes after the record that the last `find` or `findNext` returned; 0 if there is none. */
  findNext(hash: number, tag: number): number {
    return this.#findFrom(hash, tag, this.#probe + 1);
  }

  /** @returns the record that was displaced; 0 if a slot was free */
  add(hash: number, tag: number, ref: number): number {
    const first = GROUP * (hash & this.#mask);
    const second = GROUP * (this.#scatter(hash, tag) & this.#mask);
    const freeInFirst = this.#countFree(first);
    const freeInSecond = this.#countFree(second);
    // The emptier group is preferred, so that groups fill evenly.
    const group = freeInSecond > freeInFirst ? second : first;
    let place = group;
    if (Math.max(freeInFirst, freeInSecond) > 0) while (this.#refs[place] !== 0) place++;
    else place += tag % GROUP;
    const displaced = this.#refs[place] as number;
    this.#tags[place] = tag;
    this.#refs[place] = ref;
    return displaced;
  }

  /** Replaces a record by the record `by`, or removes the record if `by` is 0. */
  replace(hash: number, tag: number, ref: number, by: number): void {
    let found = this.find(hash, tag);
    while (found !== ref && found !== 0) found = this.findNext(hash, tag);
    if (found !== 0) this.#refs[this.#placeOf(hash, tag, this.#probe)] = by;
  }

  #findFrom(hash: number, tag: number, from: number): number {
    for (let probe = from; probe < 2 * GROUP; probe++) {
      const place = this.#placeOf(hash, tag, probe);
      const ref = this.#refs[place] as number;
      if (ref === 0 || this.#tags[place] !== tag) continue;
      this.#probe = probe;
      return ref;
    }
    return 0;
  }

  #placeOf(hash: number, tag: number, probe: number): number {
    const group = probe < GROUP ? hash : this.#scatter(hash, tag);
    return GROUP * (group & this.#mask) + (probe & (GROUP - 1));
  }

  #scatter(hash: number, tag: number): number {
    return hash ^ Math.imul(tag | 1, SPREAD);
  }

  #countFree(group: number): number {
    let free = 0;
    for (let place = group; place < group + GROUP; place++) if (this.#refs[place] === 0) free++;
    return free;
  }
}
