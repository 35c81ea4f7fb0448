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
/** Length of `0x`. */
const PREFIX_LENGTH = 2;
/** `ull`, the end of `null`. A search for `ull` is faster than for `null`, because `u` is rarer than `n` in names and does not occur in hex. */
const NULL_END: Buffer = NULL_TEXT.subarray(1);

/**
 * Finds quantities with leading zeros, and null in place of lists, in an answer that is scanned chunk by chunk. A value and the name of its member
 * may be in different chunks.
 */
export class PaddingFinder implements PaddedValues {
  #isOn: boolean;
  #zeros: number[] = [];
  /** Number of entries in `#zeros` that were found in earlier chunks. */
  #foundBefore = 0;
  #openAt = Number.POSITIVE_INFINITY;
  /** Position in the answer of an incomplete `null` in place of a list; Infinity if there is none. */
  #openNullAt = Number.POSITIVE_INFINITY;
  /** Whether the current chunk contains a null that may be in place of a list. */
  #hasNull = false;
  /** Position of the current chunk's first byte in the answer. */
  #base = 0;
  /** Last bytes before the current chunk, at most `BEFORE`. */
  #before: Buffer | undefined;

  /** @param isOn whether members with names of quantities contain quantities in this answer; if not, nothing is changed */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  narrow(isOn: boolean): void {
    this.#isOn = isOn;
    if (!isOn) this.forget();
  }

  /** Zeros to remove and nulls to replace in the bytes scanned since `forget`. The entries are ordered by position after each chunk. */
  get zeros(): Padding {
    return this.#zeros;
  }

  /**
   * Position of a value that is incomplete in this chunk and may have to be changed, counted from the start of the answer. Infinity if there is none.
   */
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
   * Handles a complete string that is the value of a member.
   * @param start position after the string's opening quote in the chunk; negative if the string began in an earlier chunk
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
   * Must be called after the scan of each chunk that does not end the answer.
   * @param from position in the chunk at which its part of the answer begins
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
   * Must be called after the scan of the last chunk of the answer.
   * @param from position in the chunk at which its part of the answer begins
   * @param to end of the answer in the chunk
   */
  end(chunk: Buffer, from: number, to: number): void {
    this.#addNulls(chunk, from, to);
    this.#openAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Adds the nulls of the chunk that are in place of lists. A quote before a colon is always escaped inside of a JSON string. A list name in quotes,
   * followed by `:null`, is therefore always a member.
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
    // Zeros are found during the scan and nulls afterwards, so the entries of the chunk must be sorted.
    if (zeros.length > length && length > first)
      for (const found of zeros.splice(first).sort((one, other) => one - other)) zeros.push(found);
    this.#foundBefore = zeros.length;
  }

  /** Returns the position of a `null` in place of a list that continues in the next chunk; Infinity if there is none. */
  #findOpenNull(chunk: Buffer, { state }: JsonPlace): number {
    if (state < NULL_STATES || state >= CONTINUATION_1) return Number.POSITIVE_INFINITY;
    const start = chunk.length - 1 - (state - NULL_STATES);
    return isList(...this.#joinBefore(chunk, start)) ? this.#base + start : Number.POSITIVE_INFINITY;
  }

  /** Returns the position of a string that continues in the next chunk and may be a quantity with leading zeros; Infinity if there is none. */
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

  /** Returns bytes that contain a value and the name before it, and the position of the value in these bytes. */
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
