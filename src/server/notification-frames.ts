import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';

/** First byte of a frame that is a complete text message (RFC 6455 5.2). */
const TEXT_FRAME = 0x81;
/**
 * Maximum payload length in the second byte of a frame. A length up to `MAX_MEDIUM_LENGTH` is in the 16 bits after the second byte, and a larger one
 * in 64 bits.
 */
const MAX_SHORT_LENGTH = 125;
const MAX_MEDIUM_LENGTH = 65_535;
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;
/** Maximum size of a frame head without mask (opcode and length), bytes. */
const MAX_HEAD_BYTES = 10;
/** Text that closes `params` and the notification. */
const TAIL = Buffer.from('}}');
/** Maximum number of encoded results that are cached in one iteration of the event loop. */
const MAX_SHARED = 256;

/** Results encoded in this iteration of the event loop, cached because many subscriptions usually get the same result. */
const SHARED = new Map<JsonText, Buffer>();

/** Encodes the beginning of a notification, up to its result. */
export function encodeNotificationHead(id: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`,
  );
}

/** Pending notification frames of one WebSocket, which are written with one write. */
export class NotificationFrames {
  #parts: Buffer[] = [];
  #bytes = 0;

  /** Upper bound of the size of all frames. */
  get bytes(): number {
    return this.#bytes;
  }

  add(head: Buffer, result: JsonText): void {
    const encoded = encodeShared(result);
    this.#parts.push(head, encoded);
    this.#bytes += MAX_HEAD_BYTES + head.length + encoded.length + TAIL.length;
  }

  /** Returns and removes all frames, in order. */
  take(): Buffer {
    const frames = Buffer.allocUnsafe(this.#bytes);
    const parts = this.#parts;
    let at = 0;
    for (let i = 0; i < parts.length; i += 2) {
      const head = parts[i] as Buffer;
      const result = parts[i + 1] as Buffer;
      at = writeFrameHead(frames, at, head.length + result.length + TAIL.length);
      at += head.copy(frames, at);
      at += result.copy(frames, at);
      at += TAIL.copy(frames, at);
    }
    this.clear();
    return frames.subarray(0, at);
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}

/** Encodes the frame head of a text message of `length` bytes. */
export function encodeFrameHead(length: number): Buffer {
  const head = Buffer.allocUnsafe(MAX_HEAD_BYTES);
  return head.subarray(0, writeFrameHead(head, 0, length));
}

/**
 * Returns the frame of an ASCII message as a string in which each character is one byte (Latin-1); undefined if the message is longer than 65,535
 * bytes.
 */
export function encodeAsciiFrame(text: JsonText): string | undefined {
  const { length } = text;
  if (length <= MAX_SHORT_LENGTH) return String.fromCharCode(TEXT_FRAME, length) + text;
  if (length > MAX_MEDIUM_LENGTH) return undefined;
  return String.fromCharCode(TEXT_FRAME, LENGTH_IN_16_BITS, length >> 8, length & 0xff) + text;
}

/** Encodes the frame of a text message. @param length length of the text in UTF-8, bytes */
export function encodeTextFrame(text: JsonText, length: number): Buffer {
  const frame = Buffer.allocUnsafe(MAX_HEAD_BYTES + length);
  const start = writeFrameHead(frame, 0, length);
  return frame.subarray(0, start + frame.write(text, start));
}

function writeFrameHead(target: Buffer, start: number, length: number): number {
  let at = target.writeUInt8(TEXT_FRAME, start);
  if (length <= MAX_SHORT_LENGTH) return target.writeUInt8(length, at);
  if (length <= MAX_MEDIUM_LENGTH) {
    at = target.writeUInt8(LENGTH_IN_16_BITS, at);
    return target.writeUInt16BE(length, at);
  }
  at = target.writeUInt8(LENGTH_IN_64_BITS, at);
  return target.writeBigUInt64BE(BigInt(length), at);
}

function encodeShared(result: JsonText): Buffer {
  const known = SHARED.get(result);
  if (known !== undefined) return known;
  const encoded = Buffer.from(result);
  if (SHARED.size === 0) setImmediate(() => SHARED.clear());
  if (SHARED.size < MAX_SHARED) SHARED.set(result, encoded);
  return encoded;
}
