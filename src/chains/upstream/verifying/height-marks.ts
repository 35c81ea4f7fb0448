/** Examined block, and the reason why it is unverifiable; `reason` is undefined if it was verified. */
export type Mark = { readonly number: bigint; readonly reason: string | undefined };

/** Heights to examine: `at` first, and then the heights above it up to `below`, exclusively. */
export type Unknown = { readonly at: bigint; readonly below: bigint };

/** Maximum number of marks of one subject. A range of blocks with the same rules needs two marks. */
const MAX_MARKS = 64;
/** Below an unverifiable range of known length, the distance to the next examined block is this many times the length. */
const GROWTH = 8n;

/**
 * Examined heights of one subject (marks), and whether each block was verified. If two neighbouring marks have the same result, it applies to all
 * heights between them. The results of the outermost marks apply to all heights beyond them. Between two marks with different results, a fork begins.
 * The heights between them count as verifiable, so that wrong answers are detected.
 */
export class HeightMarks {
  /** Marks sorted by number. If successive marks have the same result, only the first and the last of them are stored. */
  #marks: Mark[] = [];
  /** True if any mark is unverifiable. Every answer reads `#hasBad`; the marks are searched only if it is true. */
  #hasBad = false;

  get isEmpty(): boolean {
    return this.#marks.length === 0;
  }

  /** Returns whether any mark is verified (if `isGood`) or unverifiable (if not). */
  has(isGood: boolean): boolean {
    return this.#marks.some((mark) => isGoodMark(mark) === isGood);
  }

  /** Returns the reason why a block is unverifiable; undefined if it counts as verifiable. */
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

  /** Records the result of examining a block. @param reason reason why the block is unverifiable; undefined if it was verified */
  set(number: bigint, reason: string | undefined): void {
    const marks = this.#marks.filter((mark) => mark.number !== number);
    const at = marks.findIndex((mark) => mark.number > number);
    marks.splice(at < 0 ? marks.length : at, 0, { number, reason });
    this.#replace(thin(marks));
    while (this.#marks.length > MAX_MARKS) this.#forgetShortest();
  }

  /** Drops the marks at heights above `number`. */
  dropAbove(number: bigint): void {
    this.#replace(this.#marks.filter((mark) => mark.number <= number));
  }

  /** First block of the unverifiable range that includes the newest blocks. Undefined if this range does not exist, or if it includes all blocks. */
  get from(): bigint | undefined {
    const last = this.#marks.findLastIndex(isGoodMark);
    return last < 0 ? undefined : this.#marks[last + 1]?.number;
  }

  /** Last block of the newest unverifiable range that has verifiable blocks above it. */
  get until(): bigint | undefined {
    return this.listLast().at(-1);
  }

  /** Returns the last block of each unverifiable range, except the range that includes the newest blocks. */
  listLast(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) =>
      !isGoodMark(lower) && isGoodMark(upper) ? [lower.number] : [],
    );
  }

  /** Splits all heights into ranges with the same result. Returns the last height of each range except the newest. */
  listEnds(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) => {
      if (isGoodMark(lower) === isGoodMark(upper)) return [];
      return [isGoodMark(lower) ? upper.number - 1n : lower.number];
    });
  }

  /**
   * Returns the ranges that contain the first block of a fork. The range below the oldest unverifiable block is included, because it may contain one.
   */
  listUnknown(): readonly Unknown[] {
    const unknown = this.#pairs().flatMap(([lower, upper]): readonly Unknown[] => {
      const isKnown = isGoodMark(lower) === isGoodMark(upper) || upper.number - lower.number <= 1n;
      return isKnown ? [] : [{ at: (lower.number + upper.number) / 2n, below: upper.number }];
    });
    const [oldest] = this.#marks;
    // Block 0 is not searched, because genesis follows the rules of no fork.
    if (oldest === undefined || isGoodMark(oldest) || oldest.number <= 1n) return unknown;
    const good = this.#marks.findIndex(isGoodMark);
    const newest = this.#marks.at(good < 0 ? -1 : good - 1) ?? oldest;
    const step = GROWTH * (newest.number - oldest.number);
    const at = oldest.number - (step > 1n ? step : 1n);
    return [...unknown, { at: at > 1n ? at : 1n, below: oldest.number }];
  }

  /** Returns all pairs of neighbouring marks. */
  #pairs(): readonly (readonly [Mark, Mark])[] {
    return this.#marks.slice(1).map((upper, i) => [this.#marks[i] as Mark, upper]);
  }

  /** Removes the marks of the shortest unverifiable range. Blocks in this range then count as verifiable again. */
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

/** Removes each mark whose lower and upper neighbours have the same result as the mark. */
function thin(marks: readonly Mark[]): Mark[] {
  return marks.filter((mark, i) => {
    const [before, after] = [marks[i - 1], marks[i + 1]];
    const isLike = (other: Mark | undefined): boolean =>
      other !== undefined && isGoodMark(other) === isGoodMark(mark);
    return !isLike(before) || !isLike(after);
  });
}
