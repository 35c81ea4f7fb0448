import { isUtf8 } from 'node:buffer';
import type { WebSocket } from 'ws';

/** First byte of a frame that is a whole text message, without extensions (RFC 6455 5.2). */
const TEXT_FRAME = 0x81;
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;
/** Payloads up to here have their length in the second byte; this marks a length of 16 bits behind it. */
const MAX_SHORT_LENGTH = 125;
const LENGTH_IN_16_BITS = 126;
/** Opcode and length; the mask. */
const SHORT_HEAD_BYTES = 2;
const MEDIUM_HEAD_BYTES = 4;
const MASK_BYTES = 4;

/** What the library parses chunks of the socket with; the fields, which it does not document, say where in a message it is. */
type Receiver = {
  write(chunk: Buffer): boolean;
  readonly _state: number;
  readonly _bufferedBytes: number;
  readonly _fragmented: number;
};

/**
 * Reads messages past the library where they are plain: text in one masked frame of at most 64 KiB that came whole. The library reads each
 * chunk through a stream, in six parts. Any other frame, and all behind it in its chunk, is the library's to read and to judge; the next plain
 * one is read here when the library is between two messages. Another version of the library that does not say so reads every frame.
 * @param maxBytes of a message
 */
export function readPlainFrames(ws: WebSocket, maxBytes: number): void {
  const receiver = (ws as unknown as { readonly _receiver?: Receiver })._receiver;
  if (typeof receiver?.write !== 'function' || !isAtRest(receiver)) return;
  const write = receiver.write.bind(receiver);
  receiver.write = (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      const text = isAtRest(receiver) ? takeText(chunk, at, maxBytes) : undefined;
      if (text === undefined) return write(at === 0 ? chunk : chunk.subarray(at));
      at = text.byteOffset - chunk.byteOffset + text.length;
      ws.emit('message', text, false);
    }
    return true;
  };
}

/** Between two messages. */
function isAtRest({ _state, _bufferedBytes, _fragmented }: Receiver): boolean {
  return _state === 0 && _bufferedBytes === 0 && _fragmented === 0;
}

/** The text of a plain frame, unmasked in its place; undefined, with nothing changed, where there is none at `at`. */
function takeText(bytes: Buffer, at: number, maxBytes: number): Buffer | undefined {
  const second = bytes[at + 1] ?? 0;
  if (bytes[at] !== TEXT_FRAME || second < MASKED) return undefined;
  let length = second & LENGTH_BITS;
  let start = at + SHORT_HEAD_BYTES + MASK_BYTES;
  if (length > MAX_SHORT_LENGTH) {
    start = at + MEDIUM_HEAD_BYTES + MASK_BYTES;
    if (length > LENGTH_IN_16_BITS || start > bytes.length) return undefined;
    length = bytes.readUInt16BE(at + SHORT_HEAD_BYTES);
  }
  const end = start + length;
  if (length > maxBytes || end > bytes.length) return undefined;
  const text = bytes.subarray(start, end);
  mask(text, bytes, start - MASK_BYTES);
  if (isUtf8(text)) return text;
  mask(text, bytes, start - MASK_BYTES);
  return undefined;
}

/** Masks bytes, or unmasks them, with the four bytes at `at` of `frame`. */
function mask(bytes: Buffer, frame: Buffer, at: number): void {
  const [a, b, c, d] = [frame[at] ?? 0, frame[at + 1] ?? 0, frame[at + 2] ?? 0, frame[at + 3] ?? 0];
  if ((a | b | c | d) === 0) return;
  const { length } = bytes;
  const whole = length - (length % MASK_BYTES);
  for (let i = 0; i < whole; i += MASK_BYTES) {
    (bytes[i] as number) ^= a;
    (bytes[i + 1] as number) ^= b;
    (bytes[i + 2] as number) ^= c;
    (bytes[i + 3] as number) ^= d;
  }
  if (whole < length) (bytes[whole] as number) ^= a;
  if (whole + 1 < length) (bytes[whole + 1] as number) ^= b;
  if (whole + 2 < length) (bytes[whole + 2] as number) ^= c;
}
