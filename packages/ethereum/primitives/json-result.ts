/** One complete JSON value as text. */
import { utf8Decoder } from './utf8.ts';
export type JsonText = string;

/** One JSON value that arrives in pieces because it is too large to be buffered. A consumer reads the stream once, or cancels it. */
export interface JsonStream {
  /**
   * Pieces of the UTF-8 text, in order. Reading applies backpressure to the source. Reading throws if the source breaks off early. The pieces read
   * before are then not a complete JSON value.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Releases the source. After the end of the stream, the call has no effect. */
  cancel(): void;
  /** Bytes in memory until the stream ends; absent if the source is read as it arrives. */
  readonly reservedBytes?: number;
  /** Total length in bytes, if known. */
  readonly length?: number;
}

/** Whether the stream is complete in memory. A stream that is complete cannot break off, and may be read at any time. */
export function isWhole({ reservedBytes, length }: JsonStream): boolean {
  return reservedBytes !== undefined && length !== undefined;
}

export type JsonResult = JsonText | JsonBytes | JsonStream;

/** Bytes that are compressed once for all responses that contain them. */
export type PackedBytes = {
  /** Name of the content coding, such as `gzip`. */
  readonly coding: string;
  /** Compressed blocks that end at a byte boundary; the last block is not marked as final. */
  readonly blocks: Uint8Array;
  /** Checksum state that a coding needs to combine the bytes with preceding ones; gzip: the CRC-32 and the factor for the preceding CRC. */
  readonly checksum?: readonly [crc: number, shift: number];
  /** Uncompressed length in bytes. */
  readonly length: number;
};

/** Immutable bytes of one complete JSON value, shared by several responses. */
export class SharedBytes {
  readonly bytes: Uint8Array;
  /**
   * Callback of the cache that stores the bytes. The callback reserves `bytes` more bytes in the cache, or returns false if the cache has no room for
   * them.
   */
  keeper: ((bytes: number) => boolean) | undefined;
  /** Compressed forms, one for each coding that clients have asked for. */
  #packed: PackedBytes[] | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isPacked(): boolean {
    return this.#packed !== undefined;
  }

  findPacked(coding: string): PackedBytes | undefined {
    return this.#packed?.find((one) => one.coding === coding);
  }

  /** Stores a compressed form if the bytes are cached, the cache has room for it, and no form of its coding is stored. */
  keepPacked(packed: PackedBytes): void {
    if (this.findPacked(packed.coding) !== undefined || this.keeper?.(packed.blocks.length) !== true) return;
    this.#packed ??= [];
    this.#packed.push(packed);
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);
/** Piece size in bytes. */
const PIECE_BYTES: number = 64 * 1024;

/** One complete JSON value as bytes, with an optional head and tail. The stream is complete in memory and may be read repeatedly. */
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

  get reservedBytes(): number {
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

  /** Does nothing, since there is no source to release. */
  cancel(): void {}
}

async function* cutParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
  }
}

/** Whether a result is complete in memory as text or bytes; otherwise it is a stream. */
export function isComplete(result: JsonResult): result is JsonText | JsonBytes {
  return typeof result === 'string' || result instanceof JsonBytes;
}

/** Returns a complete result as text. */
export function textOf(result: JsonText | JsonBytes): JsonText {
  return typeof result === 'string' ? result : result.text;
}

/** Returns a stream over `pieces` with the `reservedBytes` and the `length` of `source`. */
export function passOn(
  source: JsonStream,
  pieces: AsyncIterable<Uint8Array>,
  cancel: () => void,
): JsonStream {
  const { reservedBytes, length } = source;
  return {
    pieces,
    cancel,
    ...(reservedBytes !== undefined && { reservedBytes }),
    ...(length !== undefined && { length }),
  };
}
