import { isAscii } from 'node:buffer';
import type { CachedAnswer } from './cache.ts';
import type { NameWriter } from './name-writer.ts';
import type { Segments } from './segments.ts';

/** Offsets of fields in the header of a record, in 32-bit words. A record consists of header, name and answer. All lengths are bytes. */
const HASH = 0;
const TAG = 1;
/** Next and previous record in the list of the block; 0 for none. */
const NEXT = 2;
const PREVIOUS = 3;
const BLOCK = 4;
const NAME_LENGTH = 5;
/** Length of the inline answer, or the number of an answer that is stored outside of the segments. */
const ANSWER = 6;
/** Flags in the low 8 bits; the length of the record in the bits above. */
const FLAGS = 7;
const HEADER_BYTES = 32;
/** End of the block part of a name. */
const SPACE = 0x20;

/** Mask of the use counter, which saturates at 3. */
const USES = 3;
const DEAD = 4;
const WIDE = 8;
const ASCII = 16;
const MAIN = 32;
const LARGE = 64;
const LENGTH_SHIFT = 8;

/** Content of a record besides its name. */
export type RecordAnswer = {
  /** Inline answer; undefined if the answer is stored outside of the segments. */
  readonly inline: Uint8Array | string | undefined;
  readonly inlineBytes: number;
  readonly isAscii: boolean;
  readonly number: number;
};

/** Beginnings of requests, in both encodings of names. */
export type RequestPrefixes = { readonly narrow: readonly Buffer[]; readonly wide: readonly Buffer[] };

/** Returns the beginnings of the requests of a chain. */
export function encodeChainPrefixes(chainId: string): RequestPrefixes {
  const encode = (encoding: 'latin1' | 'utf16le'): Buffer[] =>
    [':', '@'].map((end) => Buffer.from(`${chainId}${end}`, encoding));
  return { narrow: encode('latin1'), wide: encode('utf16le') };
}

/** Reads and writes cache entries in segments, and links the entries of each block in a list. References to records come from `Segments`. */
export class Records {
  readonly #segments: Segments;
  /** First record of each list, indexed by the block's hash; several blocks may share a list. */
  readonly #blocks: Uint32Array;

  /** @param blocks number of lists, a power of two */
  constructor(segments: Segments, blocks: number) {
    this.#segments = segments;
    this.#blocks = new Uint32Array(blocks);
  }

  /** Returns the memory of a record with this many bytes of name and answer. */
  static countBytes(nameBytes: number, inlineBytes: number): number {
    return (HEADER_BYTES + ((nameBytes + 3) & ~3) + inlineBytes + 7) & ~7;
  }

  /** Writes an entry into allocated memory, and links it into the list of its block. */
  write(ref: number, name: NameWriter, isMain: boolean, answer: RecordAnswer): void {
    const { bytes, words } = this.#segments.segmentOf(ref);
    const offset = this.#segments.offsetOf(ref);
    const at = offset >> 2;
    const { inline, inlineBytes } = answer;
    const length = Records.countBytes(name.length, inlineBytes);
    words[at + HASH] = name.hash;
    words[at + TAG] = name.tag;
    words[at + BLOCK] = name.hashBlock();
    words[at + NAME_LENGTH] = name.length;
    words[at + ANSWER] = inline === undefined ? answer.number : inlineBytes;
    words[at + FLAGS] =
      (length << LENGTH_SHIFT) |
      (name.isWide ? WIDE : 0) |
      (isMain ? MAIN : 0) |
      (inline === undefined ? LARGE : 0) |
      (answer.isAscii ? ASCII : 0);
    const nameWords = (name.length + 3) >> 2;
    for (let i = 0; i < nameWords; i++) words[at + HEADER_BYTES / 4 + i] = name.words[i] as number;
    const start = offset + HEADER_BYTES + 4 * nameWords;
    if (typeof inline === 'string') bytes.write(inline, start, 'utf8');
    else if (inline !== undefined) bytes.set(inline, start);
    this.#link(ref);
  }

  /** Whether a record has this name. */
  isOf(ref: number, name: NameWriter): boolean {
    const { words } = this.#segments.segmentOf(ref);
    const at = this.#segments.offsetOf(ref) >> 2;
    if (words[at + NAME_LENGTH] !== name.length) return false;
    if (((words[at + FLAGS] as number) & WIDE) !== (name.isWide ? WIDE : 0)) return false;
    const first = at + HEADER_BYTES / 4;
    const count = (name.length + 3) >> 2;
    for (let i = 0; i < count; i++) if (words[first + i] !== name.words[i]) return false;
    return true;
  }

  /**
   * Returns the first record of a block in its list, starting at the record `from`, or at the start of the list if `from` is 0.
   * @param name name of any entry of the block
   */
  findOfBlock(name: NameWriter, from: number): number {
    const block = name.hashBlock();
    const { blockLength } = name;
    let ref = from === 0 ? (this.#blocks[block & (this.#blocks.length - 1)] as number) : from;
    for (; ref !== 0; ref = this.nextOfBlock(ref)) {
      const { bytes, words } = this.#segments.segmentOf(ref);
      const offset = this.#segments.offsetOf(ref);
      const at = offset >> 2;
      if (words[at + BLOCK] !== block || (words[at + NAME_LENGTH] as number) < blockLength) continue;
      const start = offset + HEADER_BYTES;
      if (bytes.compare(name.bytes, 0, blockLength, start, start + blockLength) === 0) return ref;
    }
    return 0;
  }

  /** Returns the next record in the same list. Blocks may share a list, so the next record may belong to another block. */
  nextOfBlock(ref: number): number {
    return this.#read(ref, NEXT);
  }

  /** Number of lists of entries, one for some of the blocks. */
  get lists(): number {
    return this.#blocks.length;
  }

  /** Returns the entries of a list. */
  listEntries(list: number): number[] {
    const entries: number[] = [];
    for (let ref = this.#blocks[list] ?? 0; ref !== 0; ref = this.nextOfBlock(ref)) entries.push(ref);
    return entries;
  }

  /** Whether the request of an entry begins with one of these prefixes. */
  hasPrefix(ref: number, { narrow, wide }: RequestPrefixes): boolean {
    const { bytes } = this.#segments.segmentOf(ref);
    const start = this.#segments.offsetOf(ref) + HEADER_BYTES;
    const isWide = (this.#read(ref, FLAGS) & WIDE) !== 0;
    const name = bytes.subarray(start, start + this.#read(ref, NAME_LENGTH));
    const request = name.subarray(name.indexOf(SPACE) + 1);
    return (isWide ? wide : narrow).some((prefix) => request.subarray(0, prefix.length).equals(prefix));
  }

  readText(ref: number): string {
    const { bytes } = this.#segments.segmentOf(ref);
    const nameBytes = (this.#read(ref, NAME_LENGTH) + 3) & ~3;
    const start = this.#segments.offsetOf(ref) + HEADER_BYTES + nameBytes;
    const end = start + this.#read(ref, ANSWER);
    return bytes.toString((this.#read(ref, FLAGS) & ASCII) === 0 ? 'utf8' : 'latin1', start, end);
  }

  /** Returns the number of an answer that is stored outside of the segments; undefined for an inline answer. */
  largeNumberOf(ref: number): number | undefined {
    return (this.#read(ref, FLAGS) & LARGE) === 0 ? undefined : this.#read(ref, ANSWER);
  }

  hashOf(ref: number): number {
    return this.#read(ref, HASH);
  }

  tagOf(ref: number): number {
    return this.#read(ref, TAG);
  }

  lengthOf(ref: number): number {
    return this.#read(ref, FLAGS) >>> LENGTH_SHIFT;
  }

  isMain(ref: number): boolean {
    return (this.#read(ref, FLAGS) & MAIN) !== 0;
  }

  isDead(ref: number): boolean {
    return (this.#read(ref, FLAGS) & DEAD) !== 0;
  }

  noteUse(ref: number): void {
    const flags = this.#read(ref, FLAGS);
    if ((flags & USES) < USES) this.#write(ref, FLAGS, flags + 1);
  }

  /** Decrements the use counter of an entry. @returns whether the counter was above 0 */
  takeUse(ref: number): boolean {
    const flags = this.#read(ref, FLAGS);
    if ((flags & USES) === 0) return false;
    this.#write(ref, FLAGS, flags - 1);
    return true;
  }

  /** Marks a record as dead, and unlinks it. The queue frees the memory of the record later. */
  kill(ref: number): void {
    const next = this.#read(ref, NEXT);
    const previous = this.#read(ref, PREVIOUS);
    if (next !== 0) this.#write(next, PREVIOUS, previous);
    this.#setNextOf(previous, ref, next);
    this.#write(ref, FLAGS, this.#read(ref, FLAGS) | DEAD);
  }

  /** Copies an entry to the allocated record `to` in the main queue, and marks the old record as dead. */
  moveToMain(from: number, to: number): void {
    const source = this.#segments.segmentOf(from);
    const start = this.#segments.offsetOf(from);
    const target = this.#segments.segmentOf(to);
    source.bytes.copy(target.bytes, this.#segments.offsetOf(to), start, start + this.lengthOf(from));
    this.#write(to, FLAGS, this.#read(to, FLAGS) | MAIN);
    const next = this.#read(from, NEXT);
    if (next !== 0) this.#write(next, PREVIOUS, to);
    this.#setNextOf(this.#read(from, PREVIOUS), from, to);
    this.#write(from, FLAGS, this.#read(from, FLAGS) | DEAD);
  }

  #link(ref: number): void {
    const list = this.#read(ref, BLOCK) & (this.#blocks.length - 1);
    const next = this.#blocks[list] as number;
    this.#write(ref, NEXT, next);
    this.#write(ref, PREVIOUS, 0);
    if (next !== 0) this.#write(next, PREVIOUS, ref);
    this.#blocks[list] = ref;
  }

  /** Makes `next` the record after `previous`. If `previous` is 0, `next` becomes the first record of the list that contains `ref`. */
  #setNextOf(previous: number, ref: number, next: number): void {
    if (previous !== 0) this.#write(previous, NEXT, next);
    else this.#blocks[this.#read(ref, BLOCK) & (this.#blocks.length - 1)] = next;
  }

  #read(ref: number, field: number): number {
    return this.#segments.segmentOf(ref).words[(this.#segments.offsetOf(ref) >> 2) + field] as number;
  }

  #write(ref: number, field: number, value: number): void {
    this.#segments.segmentOf(ref).words[(this.#segments.offsetOf(ref) >> 2) + field] = value;
  }
}

/** @param number number of an answer that is stored outside of the segments; 0 for an inline answer */
export function describeAnswer(
  answer: CachedAnswer,
  bytes: number,
  isInline: boolean,
  number: number,
): RecordAnswer {
  if (!isInline) return { inline: undefined, inlineBytes: 0, isAscii: false, number };
  return typeof answer === 'string'
    ? { inline: answer, inlineBytes: bytes, isAscii: bytes === answer.length, number }
    : { inline: answer.value.bytes, inlineBytes: bytes, isAscii: isAscii(answer.value.bytes), number };
}
