/** An examined block; `reason` is undefined if the block was verified. */
export type Mark = { readonly number: bigint; readonly reason: string | undefined };

/** A range of heights to examine, `at` first and then the heights above it. */
export type Unknown = { readonly at: bigint; readonly below: bigint };

/** Cap on the marks of one subject; a range of blocks with the same rules needs two marks. */
const MAX_MARKS = 64;
/** Growth of the search below an unverifiable range: the next examined block is this many times the known length of the range further down. */
const GROWTH = 8n;

/**
 * Examined heights of one subject, and whether the block at each height was verified. Two neighbouring marks with the same result apply to all
 * heights between them, and the outermost marks apply to all heights beyond. A fork begins between two marks with different results. Heights between
 * them count as verifiable, so that wrong answers are found.
 */
export class HeightMarks {
  /** Sorted by number; a run of marks with the same result has only its first and last mark. */
  #marks: Mark[] = [];
  /** True if some block is unverifiable. This is rare, and is read for every answer. */
  #hasBad = false;

  get isEmpty(): boolean {
    return this.#marks.length === 0;
  }

  /** Returns whether there is a mark with this result. */
  has(isGood: boolean): boolean {
    return this.#marks.some((mark) => isGoodMark(mark) === isGood);
  }

  /** Returns the reason why a block is unverifiable; undefined if it is verifiable or no block was examined. */
  reasonAt(number: bigint): string | undefined {
    return this.#hasBad ? this.#find(number)?.reason : undefined;
  }

  #find(number: bigint): Mark | undefined {
    const above = this.#marks.findIndex((mark) => mark.number >= number);
    if (above < 0) return this.#marks.at(-1);
    const [upper, lower] = [this.#marks[above], this.#marks[above - 1]];
    if (upper?.number === number || lower === undefined) return upper;
    return upper !== undefined && isGoodMark(upper) ? upper : lower;
  }

  /** Records the result for a block. @param reason absent if the block was verified */
  set(number: bigint, reason: string | undefined): void {
    const marks = this.#marks.filter((mark) => mark.number !== number);
    const at = marks.findIndex((mark) => mark.number > number);
    marks.splice(at < 0 ? marks.length : at, 0, { number, reason });
    this.#replace(thin(marks));
    while (this.#marks.length > MAX_MARKS) this.#forgetShortest();
  }

  /** Drops marks above a block. */
  dropAbove(number: bigint): void {
    this.#replace(this.#marks.filter((mark) => mark.number <= number));
  }

  /** First block of the newest unverifiable range; undefined if the newest mark is verifiable, or if no mark is verifiable. */
  get from(): bigint | undefined {
    const last = this.#marks.findLastIndex(isGoodMark);
    return last < 0 ? undefined : this.#marks[last + 1]?.number;
  }

  /** Last block of the newest unverifiable range with verifiable blocks above it. */
  get until(): bigint | undefined {
    return this.listLast().at(-1);
  }

  /** Last blocks of all unverifiable ranges with verifiable blocks above them. */
  listLast(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) =>
      !isGoodMark(lower) && isGoodMark(upper) ? [lower.number] : [],
    );
  }

  /** Last heights of the ranges with the same result, except the newest range. */
  listEnds(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) => {
      if (isGoodMark(lower) === isGoodMark(upper)) return [];
      return [isGoodMark(lower) ? upper.number - 1n : lower.number];
    });
  }

  /** Ranges that contain a change of rules, and the range below the oldest unverifiable block, which may contain a change. */
  listUnknown(): readonly Unknown[] {
    const unknown = this.#pairs().flatMap(([lower, upper]): readonly Unknown[] => {
      const isKnown = isGoodMark(lower) === isGoodMark(upper) || upper.number - lower.number <= 1n;
      return isKnown ? [] : [{ at: (lower.number + upper.number) / 2n, below: upper.number }];
    });
    const [oldest] = this.#marks;
    // Block 0 follows the rules of no fork.
    if (oldest === undefined || isGoodMark(oldest) || oldest.number <= 1n) return unknown;
    const good = this.#marks.findIndex(isGoodMark);
    const newest = this.#marks.at(good < 0 ? -1 : good - 1) ?? oldest;
    const step = GROWTH * (newest.number - oldest.number);
    const at = oldest.number - (step > 1n ? step : 1n);
    return [...unknown, { at: at > 1n ? at : 1n, below: oldest.number }];
  }

  /** Pairs of neighbouring marks. */
  #pairs(): readonly (readonly [Mark, Mark])[] {
    return this.#marks.slice(1).map((upper, i) => [this.#marks[i] as Mark, upper]);
  }

  /** Removes the shortest unverifiable range; answers about its blocks are then verified one by one. */
  #forgetShortest(): void {
    let shortest: { readonly first: number; readonly last: number; readonly length: bigint } | undefined;
    for (const [first, mark] of this.#marks.entries()) {
      if (isGoodMark(mark)) continue;
      const next = this.#marks[first + 1];
      const isWide = next !== undefined && !isGoodMark(next);
      const length = isWide ? next.number - mark.number : 0n;
      const before = this.#marks[first - 1];
      const isBegin = before === undefined || isGoodMark(before);
      if (isBegin && (shortest === undefined || length < shortest.length))
        shortest = { first, last: isWide ? first + 1 : first, length };
    }
    const { first = 0, last = 0 } = shortest ?? {};
    this.#replace(thin(this.#marks.toSpliced(first, last - first + 1)));
  }

  #replace(marks: Mark[]): void {
    this.#marks = marks;
    this.#hasBad = !marks.every(isGoodMark);
  }
}

function isGoodMark({ reason }: Mark): boolean {
  return reason === undefined;
}

/** Drops marks whose two neighbours have the same result as the mark itself. */
function thin(marks: readonly Mark[]): Mark[] {
  return marks.filter((mark, i) => {
    const [before, after] = [marks[i - 1], marks[i + 1]];
    const isLike = (other: Mark | undefined): boolean =>
      other !== undefined && isGoodMark(other) === isGoodMark(mark);
    return !isLike(before) || !isLike(after);
  });
}
