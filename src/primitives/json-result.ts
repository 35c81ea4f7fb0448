/** One complete JSON value as text, ready to be placed in a response. */
import { utf8Decoder } from './utf8.ts';
export type JsonText = string;

/** One JSON value that arrives in pieces because it is too large to be held. It is read once, or cancelled. */
export interface JsonStream {
  /**
   * UTF-8 bytes in order; the source is read no faster than they are taken.
   * Throws when the source breaks off before the value is complete: what was taken is then no JSON value.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Lets go of the source. Harmless after the end. */
  cancel(): void;
  /** Bytes of memory that it holds until it is over; absent where a source is read as it arrives. */
  readonly heldBytes?: number;
  /** Length of all pieces together, where that is known. */
  readonly length?: number;
}

/** Whether nothing of a stream is still to arrive: it cannot break off, and may be read at any time. */
export function isWhole({ heldBytes, length }: JsonStream): boolean {
  return heldBytes !== undefined && length !== undefined;
}

export type JsonResult = JsonText | JsonBytes | JsonStream;

/** Bytes deflated once for all that contains them. */
export type PackedBytes = {
  /** Raw deflate, ended by a flush: it stops at a whole byte, and is not the last block. */
  readonly blocks: Uint8Array;
  /** CRC-32 of the bytes, and what computes that of longer ones which end with them. */
  readonly crc: number;
  readonly crcShift: number;
  /** Before they were deflated. */
  readonly length: number;
};

/** Bytes of one complete JSON value that may be sent to several clients. They are not changed any more. */
export class SharedBytes {
  readonly bytes: Uint8Array;
  /** Of the cache that keeps them: counts what is held beside the bytes; false where there is no room for it. */
  keeper: ((bytes: number) => boolean) | undefined;
  #packed: PackedBytes | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get packed(): PackedBytes | undefined {
    return this.#packed;
  }

  /** Holds the packed form as long as the bytes, where they are kept and there is room for it. */
  keepPacked(packed: PackedBytes): void {
    if (this.#packed === undefined && this.keeper?.(packed.blocks.length) === true) this.#packed = packed;
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);
/** Of a piece. */
const PIECE_BYTES: number = 64 * 1024;

/**
 * One complete JSON value as bytes, with an optional head and tail. As a stream it is whole, and may be read more than once.
 */
export class JsonBytes implements JsonStream {
  readonly value: SharedBytes;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly length: number;

  constructor(value: SharedBytes, head: Uint8Array = NOTHING, tail: Uint8Array = NOTHING) {
    this.value = value;
    this.head = head;
    this.tail = tail;
    this.length = head.length + value.bytes.length + tail.length;
  }

  get heldBytes(): number {
    return this.length;
  }

  get pieces(): AsyncIterable<Uint8Array> {
    return cutParts([this.head, this.value.bytes, this.tail]);
  }

  get text(): JsonText {
    let text = '';
    for (const part of [this.head, this.value.bytes, this.tail])
      if (part.length > 0) text += utf8Decoder.decode(part);
    return text;
  }

  /** There is no source to let go of. */
  cancel(): void {}
}

async function* cutParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
  }
}

/** Whether a result is there as text or bytes; otherwise it has to be read. */
export function isComplete(result: JsonResult): result is JsonText | JsonBytes {
  return typeof result === 'string' || result instanceof JsonBytes;
}

/** A complete result as text. */
export function textOf(result: JsonText | JsonBytes): JsonText {
  return typeof result === 'string' ? result : result.text;
}

/** A stream that passes on the pieces of another one, as many bytes in all. */
export function passOn(
  source: JsonStream,
  pieces: AsyncIterable<Uint8Array>,
  cancel: () => void,
): JsonStream {
  const { heldBytes, length } = source;
  return {
    pieces,
    cancel,
    ...(heldBytes !== undefined && { heldBytes }),
    ...(length !== undefined && { length }),
  };
}
