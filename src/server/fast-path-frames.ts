import { isUtf8 } from 'node:buffer';
import type { WebSocket } from 'ws';

/** First byte of a frame that is a complete text message, without extensions (RFC 6455 5.2). */
const TEXT_FRAME = 0x81;
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;
/**
 * Maximum payload length that fits into the second byte of a frame. `LENGTH_IN_16_BITS` in the second byte of a frame means that a 16-bit length
 * follows.
 */
const MAX_SHORT_LENGTH = 125;
const LENGTH_IN_16_BITS = 126;
/** Size of a frame head with a short length, bytes, without the mask; `MEDIUM_HEAD_BYTES` is the size with a 16-bit length. */
const SHORT_HEAD_BYTES = 2;
const MEDIUM_HEAD_BYTES = 4;
const MASK_BYTES = 4;

/** Frame parser of ws. Undocumented fields of the parser show whether it is inside of a message. */
type Receiver = {
  write(chunk: Buffer): boolean;
  readonly _state: number;
  readonly _bufferedBytes: number;
  readonly _fragmented: number;
};

/**
 * Reads simple messages without the parser of ws, which processes each chunk as a stream in six parts. A simple message is a complete text message in
 * one masked frame of less than 64 KiB. The parser of ws reads and validates any other frame, and the rest of the chunk after this frame. Simple
 * frames are read here again when ws is between two messages. If a version of ws lacks the fields of `Receiver`, ws reads every frame.
 * @param maxBytes maximum size of a message that is read here, bytes
 */
export function readFastPathFrames(ws: WebSocket, maxBytes: number): void {
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

/** Whether the parser of ws is between two messages. */
function isAtRest({ _state, _bufferedBytes, _fragmented }: Receiver): boolean {
  return _state === 0 && _bufferedBytes === 0 && _fragmented === 0;
}

/**
 * Returns the payload of the frame at `at`, unmasked in place. If the frame is not a complete simple text frame, returns undefined and changes
 * nothing.
 */
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

/** Masks or unmasks `bytes` in place, with the four mask bytes at position `at` of `frame`. */
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
