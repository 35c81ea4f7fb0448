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

/** Prefix of a quantity with leading zeros. */
const PADDED_BEGIN: Uint8Array = Buffer.from('0x0');
/** Length of the prefix before the first digit. */
const PREFIX_LENGTH = 2;
/**
 * The literal without its first letter. Searching for this part is faster than for the whole literal: its first letter is rarer in names and hex
 * digits.
 */
const NULL_END: Buffer = NULL_TEXT.subarray(1);

/**
 * Finds leading zeros of quantities, and null in place of lists, in an answer that is scanned chunk by chunk. A value and its name may be in
 * different chunks.
 */
export class PaddingFinder implements PaddedValues {
  #isOn: boolean;
  #zeros: number[] = [];
  /** Number of entries in `#zeros` that were found in earlier chunks. */
  #foundBefore = 0;
  #openAt = Number.POSITIVE_INFINITY;
  /** Start of a null in place of a list whose end has not arrived; Infinity if there is none. */
  #openNullAt = Number.POSITIVE_INFINITY;
  /** Whether the current chunk has a null that may be in place of a list. */
  #hasNull = false;
  /** Position of the current chunk's first byte in the answer. */
  #base = 0;
  /** Last bytes before the current chunk, at most `BEFORE`. */
  #before: Buffer | undefined;

  /** @param isOn whether members with names of quantities are quantities in this answer */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  narrow(isOn: boolean): void {
    this.#isOn = isOn;
    if (!isOn) this.forget();
  }

  /** Zeros to leave out of the bytes scanned since `forget`, and nulls to replace. At the end of a chunk, they are in the order of the answer. */
  get zeros(): Padding {
    return this.#zeros;
  }

  /** Start of an incomplete value that may have to be changed; Infinity if there is none. */
  get openAt(): number {
    return Math.min(this.#openAt, this.#openNullAt);
  }

  get before(): Buffer | undefined {
    return this.#before;
  }

  /** Discards the findings in bytes that have been forwarded. */
  forget(): void {
    if (this.#zeros.length > 0) this.#zeros = [];
    this.#foundBefore = 0;
  }

  /**
   * Handles the end of a string that is the value of a member.
   * @param start position of the string's text in the chunk, below 0 if it begins before the chunk
   */
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
   * Ends a chunk.
   * @param from start of the answer, or of its unscanned part, in the chunk
   * @param place position of the scan at the end of the chunk
   */
  endChunk(chunk: Buffer, from: number, place: JsonPlace): void {
    this.#addNulls(chunk, from, chunk.length);
    this.#openAt = this.#isOn ? this.#findOpen(chunk, place) : Number.POSITIVE_INFINITY;
    if (this.#openNullAt === Number.POSITIVE_INFINITY && this.#isOn)
      this.#openNullAt = this.#findOpenNull(chunk, place);
    this.#base += chunk.length;
    if (place.levels.length > 1) this.#keepBefore(chunk);
  }

  /**
   * Ends the answer.
   * @param from start of the rest of the answer in the chunk
   * @param to end of the answer in the chunk
   */
  end(chunk: Buffer, from: number, to: number): void {
    this.#addNulls(chunk, from, to);
    this.#openAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Adds the nulls of the chunk. Inside of a JSON string, a quote before a colon is always escaped, so the name of a list followed by `null` is
   * always a member.
   */
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
    // Zeros were found while the chunk was scanned, and nulls are added after the scan, so both must be sorted.
    if (zeros.length > length && length > first)
      for (const found of zeros.splice(first).sort((one, other) => one - other)) zeros.push(found);
    this.#foundBefore = zeros.length;
  }

  /** Returns the start of the literal that the end of the chunk cuts, if the literal is a null in place of a list. */
  #findOpenNull(chunk: Buffer, { state }: JsonPlace): number {
    if (state < NULL_STATES || state >= CONTINUATION_1) return Number.POSITIVE_INFINITY;
    const start = chunk.length - 1 - (state - NULL_STATES);
    return isList(...this.#joinBefore(chunk, start)) ? this.#base + start : Number.POSITIVE_INFINITY;
  }

  /** Returns the start of the string that the end of the chunk cuts, if it may be a quantity with leading zeros. */
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

  /** Returns bytes that include the name before a value, and the start of the value's text in these bytes. */
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
