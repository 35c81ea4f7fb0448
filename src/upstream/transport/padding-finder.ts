import { CONTINUATION_1, isStringState, NULL_STATES } from './json-grammar.ts';
import { BEFORE, type JsonPlace, type PaddedValues } from './json-scan.ts';
import {
  countPadding,
  isList,
  isQuantityAt,
  MAX_QUANTITY_LENGTH,
  mayBePadded,
  NAME_ROOM,
  NULL_TEXT,
  type Padding,
  packNull,
  packPadding,
} from './padded-quantities.ts';

/** How a quantity with leading zeros begins. */
const PADDED_BEGIN: Uint8Array = Buffer.from('0x0');
/** In front of the first digit. */
const PREFIX_LENGTH = 2;
/** Searched for instead of the whole literal: names and hex digits have fewer of its first letter, and the search skips to that. */
const NULL_END: Buffer = NULL_TEXT.subarray(1);

/** Finds leading zeros of quantities, and null in place of lists, in an answer that is scanned chunk by chunk. A value, and its name, may be in several chunks. */
export class PaddingFinder implements PaddedValues {
  #isOn: boolean;
  #zeros: number[] = [];
  /** How many of them were found in earlier chunks. */
  #foundBefore = 0;
  #openAt = Number.POSITIVE_INFINITY;
  /** Where a null in place of a list begins whose end has not come; Infinity where there is none. */
  #openNullAt = Number.POSITIVE_INFINITY;
  /** Whether the current chunk has a null that may be that of a list. */
  #hasNull = false;
  /** Position of the current chunk's first byte in the answer. */
  #base = 0;
  /** The last bytes before the current chunk, `BEFORE` at most. */
  #before: Buffer | undefined;

  /** @param isOn whether members with names of quantities are quantities in this answer */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  narrow(isOn: boolean): void {
    this.#isOn = isOn;
    if (!isOn) this.forget();
  }

  /** Zeros to be left out of what has been scanned, and nulls to be replaced, since `forget`. In the order of the answer once a chunk has ended. */
  get zeros(): Padding {
    return this.#zeros;
  }

  /** Where a value begins, the end of which has not come, that may have to be changed; Infinity where there is none. */
  get openAt(): number {
    return Math.min(this.#openAt, this.#openNullAt);
  }

  get before(): Buffer | undefined {
    return this.#before;
  }

  /** What has been scanned is handed on: zeros in it are of no interest any more. */
  forget(): void {
    if (this.#zeros.length > 0) this.#zeros = [];
    this.#foundBefore = 0;
  }

  /** A string that is the value of a member has ended. @param start of its text in the chunk, below 0 where that is before it */
  addValue(chunk: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > MAX_QUANTITY_LENGTH) return;
    if (start < 0 || mayBePadded(chunk, start, length)) this.addPadded(chunk, start);
  }

  addPadded(chunk: Uint8Array, start: number): void {
    if (!this.#isOn) return;
    const [bytes, at] = this.#joinBefore(chunk, start);
    const zeros = countPadding(bytes, at);
    if (zeros > 0) this.#zeros.push(packPadding(this.#base + start + PREFIX_LENGTH, zeros));
  }

  noteNull(): void {
    this.#hasNull = true;
  }

  /**
   * @param from where the answer, or what was not scanned of it, begins in the chunk
   * @param place where scanning is at the end of the chunk
   */
  endChunk(chunk: Buffer, from: number, place: JsonPlace): void {
    this.#addNulls(chunk, from, chunk.length);
    this.#openAt = this.#isOn ? this.#findOpen(chunk, place) : Number.POSITIVE_INFINITY;
    if (this.#openNullAt === Number.POSITIVE_INFINITY && this.#isOn)
      this.#openNullAt = this.#findOpenNull(chunk, place);
    this.#base += chunk.length;
    if (place.levels.length > 1) this.#keepBefore(chunk);
  }

  /** The answer is complete. @param from, to where the rest of it is in the chunk */
  end(chunk: Buffer, from: number, to: number): void {
    this.#addNulls(chunk, from, to);
    this.#openAt = Number.POSITIVE_INFINITY;
  }

  /** JSON has no quote in front of a colon inside of a string that is not escaped: what has the name of a list and `null` behind it is a member. */
  #addNulls(chunk: Buffer, from: number, to: number): void {
    const zeros = this.#zeros;
    const first = this.#foundBefore;
    const { length } = zeros;
    if (this.#openNullAt + NULL_TEXT.length <= this.#base + to) {
      if (this.#isOn) zeros.push(packNull(this.#openNullAt));
      this.#openNullAt = Number.POSITIVE_INFINITY;
    }
    if (this.#isOn && this.#hasNull) {
      for (let at = chunk.indexOf(NULL_END, from); at >= 0 && at + NULL_END.length <= to; ) {
        const start = at - 1;
        if (start >= from && chunk[start] === NULL_TEXT[0] && isList(...this.#joinBefore(chunk, start)))
          zeros.push(packNull(this.#base + start));
        at = chunk.indexOf(NULL_END, at + NULL_END.length);
      }
    }
    this.#hasNull = false;
    // Zeros were found while the chunk was scanned, so that nulls between them come too late.
    if (zeros.length > length && length > first)
      for (const found of zeros.splice(first).sort((one, other) => one - other)) zeros.push(found);
    this.#foundBefore = zeros.length;
  }

  /** Where the literal begins that the end of the chunk cuts, if it is a null in place of a list. */
  #findOpenNull(chunk: Buffer, { state }: JsonPlace): number {
    if (state < NULL_STATES || state >= CONTINUATION_1) return Number.POSITIVE_INFINITY;
    const start = chunk.length - 1 - (state - NULL_STATES);
    return isList(...this.#joinBefore(chunk, start)) ? this.#base + start : Number.POSITIVE_INFINITY;
  }

  /** Where the string begins that the end of the chunk cuts. */
  #findOpen(chunk: Buffer, { openBytes, isInKey, levels, state }: JsonPlace): number {
    const isValue =
      isStringState(state) && !isInKey && openBytes > 0 && levels.length > 1 && levels.at(-1) === false;
    if (!isValue || openBytes > MAX_QUANTITY_LENGTH) return Number.POSITIVE_INFINITY;
    const before = this.#before;
    const start = chunk.length - openBytes;
    for (let i = 0; i < Math.min(openBytes, PADDED_BEGIN.length); i++) {
      const at = start + i;
      const byte = at < 0 ? before?.[before.length + at] : chunk[at];
      if (byte !== PADDED_BEGIN[i]) return Number.POSITIVE_INFINITY;
    }
    return isQuantityAt(...this.#joinBefore(chunk, start)) ? this.#base + start : Number.POSITIVE_INFINITY;
  }

  /** Bytes with the name of a value in front of it, and where its text begins in them. */
  #joinBefore(chunk: Uint8Array, start: number): [bytes: Buffer, start: number] {
    const before = this.#before;
    if (before === undefined || start >= NAME_ROOM) return [chunk as Buffer, start];
    const rest = chunk.subarray(0, NAME_ROOM + MAX_QUANTITY_LENGTH + 1);
    return [Buffer.concat([before, rest]), start + before.length];
  }

  #keepBefore(chunk: Buffer): void {
    const before = this.#before;
    if (chunk.length < BEFORE) {
      const all = before === undefined ? Buffer.from(chunk) : Buffer.concat([before, chunk]);
      this.#before = all.subarray(Math.max(all.length - BEFORE, 0));
      return;
    }
    if (before?.length !== BEFORE) this.#before = Buffer.allocUnsafeSlow(BEFORE);
    chunk.copy(this.#before as Buffer, 0, chunk.length - BEFORE);
  }
}
