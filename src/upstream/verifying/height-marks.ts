/** A block that was looked at. Without a reason it could be recomputed. */
export type Mark = { readonly number: bigint; readonly reason: string | undefined };

/** Heights of which one is to be looked at: `at` first, then those above it. */
export type Unknown = { readonly at: bigint; readonly below: bigint };

/** Of one subject: two for each stretch of blocks that follow the same rules. */
const MAX_MARKS = 64;
/** The next block that is looked at below the oldest that does not recompute is so many times as far down as is known already. */
const GROWTH = 8n;

/**
 * Heights at which blocks were looked at, and whether they could be recomputed. What holds for two neighbouring marks holds between them, for the first and the last one also
 * below and above. Between two that differ a fork begins: blocks there count as those that can be recomputed, so that lies are found.
 */
export class HeightMarks {
  /** In order; of more than two neighbours that are alike only the outer ones. */
  #marks: Mark[] = [];
  /** Whether some block could not be recomputed: seldom, and asked for every answer. */
  #hasBad = false;

  get isEmpty(): boolean {
    return this.#marks.length === 0;
  }

  /** Whether some block could, or could not, be recomputed. */
  has(isGood: boolean): boolean {
    return this.#marks.some((mark) => isGoodMark(mark) === isGood);
  }

  /** Why a block cannot be recomputed; undefined where it can, or none was looked at. */
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

  /** A block could be recomputed, or not for a reason. */
  set(number: bigint, reason: string | undefined): void {
    const marks = this.#marks.filter((mark) => mark.number !== number);
    const at = marks.findIndex((mark) => mark.number > number);
    marks.splice(at < 0 ? marks.length : at, 0, { number, reason });
    this.#replace(thin(marks));
    while (this.#marks.length > MAX_MARKS) this.#forgetShortest();
  }

  /** What was seen of later blocks does not hold any more. */
  dropAbove(number: bigint): void {
    this.#replace(this.#marks.filter((mark) => mark.number <= number));
  }

  /** The first of the newest blocks that cannot be recomputed; undefined where they can be, and where no block can. */
  get from(): bigint | undefined {
    const last = this.#marks.findLastIndex(isGoodMark);
    return last < 0 ? undefined : this.#marks[last + 1]?.number;
  }

  /** The last of the blocks that cannot be recomputed below newer ones that can. */
  get until(): bigint | undefined {
    return this.listLast().at(-1);
  }

  /** The last blocks of stretches that cannot be recomputed, below newer ones that can. */
  listLast(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) =>
      !isGoodMark(lower) && isGoodMark(upper) ? [lower.number] : [],
    );
  }

  /** Heights above which something else holds than at them. */
  listEnds(): readonly bigint[] {
    return this.#pairs().flatMap(([lower, upper]) => {
      if (isGoodMark(lower) === isGoodMark(upper)) return [];
      return [isGoodMark(lower) ? upper.number - 1n : lower.number];
    });
  }

  /** Where rules change between blocks that were looked at, or may have done below the oldest one that cannot be recomputed. */
  listUnknown(): readonly Unknown[] {
    const unknown = this.#pairs().flatMap(([lower, upper]): readonly Unknown[] => {
      const isKnown = isGoodMark(lower) === isGoodMark(upper) || upper.number - lower.number <= 1n;
      return isKnown ? [] : [{ at: (lower.number + upper.number) / 2n, below: upper.number }];
    });
    const [oldest] = this.#marks;
    // Block 0 follows no rules.
    if (oldest === undefined || isGoodMark(oldest) || oldest.number <= 1n) return unknown;
    const good = this.#marks.findIndex(isGoodMark);
    const newest = this.#marks.at(good < 0 ? -1 : good - 1) ?? oldest;
    const step = GROWTH * (newest.number - oldest.number);
    const at = oldest.number - (step > 1n ? step : 1n);
    return [...unknown, { at: at > 1n ? at : 1n, below: oldest.number }];
  }

  /** Marks that are neighbours. */
  #pairs(): readonly (readonly [Mark, Mark])[] {
    return this.#marks.slice(1).map((upper, i) => [this.#marks[i] as Mark, upper]);
  }

  /** Of the stretches that cannot be recomputed, the one of the fewest blocks: its blocks are judged one by one then. */
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

/** Without marks between two that are like them. */
function thin(marks: readonly Mark[]): Mark[] {
  return marks.filter((mark, i) => {
    const [before, after] = [marks[i - 1], marks[i + 1]];
    const isLike = (other: Mark | undefined): boolean =>
      other !== undefined && isGoodMark(other) === isGoodMark(mark);
    return !isLike(before) || !isLike(after);
  });
}
