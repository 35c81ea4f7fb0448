/** Places of a group: a name has two groups. */
const GROUP = 8;
const SPREAD = 0x9e3779b1;

/**
 * Where records are, by the two hashes of their names. Different names may share both: what is found is to be compared. A lookup
 * looks at 16 places at most, whatever is in the table; where they are all taken another record has to go.
 */
export class NameIndex {
  readonly #mask: number;
  readonly #tags: Uint32Array;
  /** 0 where there is no record. */
  readonly #refs: Uint32Array;
  /** Where `find` has found. */
  #probe = 0;

  /** @param places a power of two, two groups at least */
  constructor(places: number) {
    this.#mask = places / GROUP - 1;
    this.#tags = new Uint32Array(places);
    this.#refs = new Uint32Array(places);
  }

  /** Memory that so many places take. */
  static countBytes(places: number): number {
    return 2 * Uint32Array.BYTES_PER_ELEMENT * places;
  }

  /** The first record that may have a name with these hashes; 0 where there is none. */
  find(hash: number, tag: number): number {
    return this.#findFrom(hash, tag, 0);
  }

  /** The next one after what was found last. */
  findNext(hash: number, tag: number): number {
    return this.#findFrom(hash, tag, this.#probe + 1);
  }

  /** @returns the record that was evicted for it; 0 where a slot was free */
  add(hash: number, tag: number, ref: number): number {
    const first = GROUP * (hash & this.#mask);
    const second = GROUP * (this.#scatter(hash, tag) & this.#mask);
    const freeInFirst = this.#countFree(first);
    const freeInSecond = this.#countFree(second);
    // The emptier group, so that both fill up alike.
    const group = freeInSecond > freeInFirst ? second : first;
    let place = group;
    if (Math.max(freeInFirst, freeInSecond) > 0) while (this.#refs[place] !== 0) place++;
    else place += tag % GROUP;
    const displaced = this.#refs[place] as number;
    this.#tags[place] = tag;
    this.#refs[place] = ref;
    return displaced;
  }

  /** Puts another record, or 0 for none, in the place of one that is there. */
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
