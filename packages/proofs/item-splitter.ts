import { concatBytes } from '../ethereum/primitives/bytes.ts';
import { continueWith, type PromiseOrValue } from '../ethereum/primitives/promise-or-value.ts';
import { utf8Decoder } from '../ethereum/primitives/utf8.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BLANK = 0x20;
/** Maximum length of a buffered item in bytes. A transaction of 2^24 gas (EIP-7825) has at most 4.2 MB of text, and so has its receipt. */
const MAX_ITEM_BYTES: number = 5 << 20;
const OPEN: Uint8Array = Uint8Array.of(OPEN_LIST);
const CLOSE: Uint8Array = Uint8Array.of(CLOSE_LIST);

/** Receives the text of a list of complete items. */
type TakeItems = (list: Uint8Array) => PromiseOrValue<void>;

/**
 * Extracts the items of a list while the JSON text arrives, and stores the rest of the text. The caller must ensure that the text is JSON. Memory is
 * bounded by the rest of the text and one incomplete item of at most `MAX_ITEM_BYTES`.
 */
export class ItemSplitter {
  readonly #takeItems: TakeItems;
  readonly #member: string | undefined;
  /** Number of open brackets around an item. */
  readonly #listDepth: number;
  readonly #reserved: Uint8Array[] = [];
  #reservedBytes = 0;
  #hasOversized = false;
  readonly #rest: Uint8Array[] = [];
  #restBytes = 0;
  #lists = 0;
  /** Pending work on the items of the last piece. */
  #work: PromiseOrValue<void> = undefined;
  #depth = 0;
  #isInList = false;
  #isInString = false;
  #isEscaped = false;
  /** Whether the next string is a member name. */
  #isNameNext = false;
  /** Part of a member name that was received so far; undefined outside of names. */
  #name: Uint8Array[] | undefined;
  /** Whether the next value is the list. */
  #isListNext: boolean;

  /** @param member member of the top-level object that contains the list; if absent, the whole text is the list */
  constructor(takeItems: TakeItems, member?: string) {
    this.#takeItems = takeItems;
    this.#member = member;
    this.#listDepth = member === undefined ? 1 : 2;
    this.#isListNext = member === undefined;
  }

  /** Number of lists so far; more than one if the object repeats the member. */
  get lists(): number {
    return this.#lists;
  }

  /** Whether an item exceeded `MAX_ITEM_BYTES`. If true, this item and all later items were dropped. */
  get hasOversized(): boolean {
    return this.#hasOversized;
  }

  /** Length in bytes of the text without the items. */
  get restBytes(): number {
    return this.#restBytes;
  }

  /** Text received so far without the items. */
  get rest(): string {
    return utf8Decoder.decode(concatBytes(...this.#rest));
  }

  /** Adds a piece. Stored parts are copied, so the piece may be reused. @returns a promise while items are processed; the next piece must wait for it */
  add(piece: Uint8Array): PromiseOrValue<void> {
    this.#work = undefined;
    this.#split(piece);
    return this.#work;
  }

  #split(piece: Uint8Array): void {
    /** Start of the part of this piece that is neither passed on nor stored yet. */
    let from = 0;
    /** Start of the unfinished member name in this piece. */
    let nameFrom = 0;
    /** Position of the last comma between items. */
    let comma = -1;
    const { length } = piece;
    for (let at = 0; at < length; at++) {
      if (this.#isInString && !this.#isEscaped) {
        while (at < length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++;
        if (at === length) break;
      }
      const c = piece[at] as number;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (c === BACKSLASH) this.#isEscaped = true;
        else if (c === QUOTE) {
          this.#isInString = false;
          if (this.#name !== undefined) this.#endName(piece.subarray(nameFrom, at));
        }
      } else if (c === QUOTE) {
        this.#isInString = true;
        if (!this.#isNameNext) continue;
        this.#name = [];
        nameFrom = at + 1;
      } else if (c === OPEN_LIST || c === OPEN_OBJECT) {
        this.#depth++;
        if (this.#depth === 1) this.#isNameNext = c === OPEN_OBJECT && this.#member !== undefined;
        if (c === OPEN_LIST && this.#isListNext) {
          this.#keep(piece.subarray(from, at + 1));
          from = at + 1;
          this.#isInList = true;
          this.#lists++;
        }
        this.#isListNext = false;
      } else if (c === CLOSE_LIST || c === CLOSE_OBJECT) {
        if (this.#isInList && this.#depth === this.#listDepth) {
          this.#handOn(piece.subarray(from, at));
          from = at;
          comma = -1;
          this.#isInList = false;
        }
        this.#depth--;
      } else if (c === COMMA) {
        if (this.#isInList && this.#depth === this.#listDepth) comma = at;
        else if (this.#depth === 1) {
          this.#isNameNext = this.#member !== undefined;
          this.#isListNext = false;
        }
      }
    }
    this.#name?.push(new Uint8Array(piece.subarray(nameFrom)));
    if (!this.#isInList) {
      this.#keep(piece.subarray(from));
      return;
    }
    if (comma >= 0) {
      this.#handOn(piece.subarray(from, comma));
      from = comma + 1;
    }
    this.#hold(piece.subarray(from));
  }

  #hold(part: Uint8Array): void {
    this.#reservedBytes += part.length;
    if (this.#reservedBytes > MAX_ITEM_BYTES) {
      this.#hasOversized = true;
      this.#reserved.length = 0;
    }
    if (!this.#hasOversized) this.#reserved.push(new Uint8Array(part));
  }

  #keep(part: Uint8Array): void {
    this.#rest.push(new Uint8Array(part));
    this.#restBytes += part.length;
  }

  #handOn(last: Uint8Array): void {
    this.#reservedBytes = 0;
    if (this.#hasOversized) return;
    const items = concatBytes(OPEN, ...this.#reserved.splice(0), last, CLOSE);
    if (items.some((c, i) => c > BLANK && i > 0 && i < items.length - 1))
      this.#work = continueWith(this.#work, () => this.#takeItems(items));
  }

  #endName(last: Uint8Array): void {
    const text = utf8Decoder.decode(concatBytes(...(this.#name ?? []), last));
    this.#name = undefined;
    this.#isNameNext = false;
    this.#isListNext = (text.includes('\\') ? JSON.parse(`"${text}"`) : text) === this.#member;
  }
}
