/**
 * Encoding of an entry in the shared tier. A frame names its request and has a checksum over its content. A frame that another program wrote, or that
 * belongs to another key or was damaged in transit, is recognised and ignored.
 *
 * version 1 | flags 1 | length of the name 4 (characters) | checksum 16 | body
 *
 * The body is the name of the key followed by the answer, optionally deflated.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isAscii } from '../util/copy-text.ts';

const VERSION = 1;
const DEFLATED = 1;
const TWO_BYTES = 2;
const CHECKSUM_START = 6;
const CHECKSUM_BYTES = 16;
const BODY_START = CHECKSUM_START + CHECKSUM_BYTES;

/** Minimum size for compression, bytes. Compressing less text does not save enough bytes to occupy a thread of libuv's pool. */
const COMPRESS_BYTES = 1_024;

// Deflates on libuv's thread pool, not on the event loop.
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Returns the maximum size of a frame with this many characters of text, bytes. */
export function boundFrameBytes(characters: number): number {
  return BODY_START + 2 * characters;
}

/** Encodes an answer as a frame. @param name name of the answer's cache key, see `composeName` */
export async function encodeFrame(name: string, answer: string): Promise<Buffer> {
  const text = name + answer;
  const ascii = isAscii(text);
  const plain = Buffer.from(text, ascii ? 'latin1' : 'utf16le');
  const packed = plain.length > COMPRESS_BYTES ? await deflate(plain) : plain;
  const deflated = packed.length < plain.length;
  const body = deflated ? packed : plain;
  const frame = Buffer.allocUnsafe(BODY_START + body.length);
  frame[0] = VERSION;
  frame[1] = (deflated ? DEFLATED : 0) | (ascii ? 0 : TWO_BYTES);
  frame.writeUInt32BE(name.length, 2);
  body.copy(frame, BODY_START);
  digestFrame(frame).copy(frame, CHECKSUM_START);
  return frame;
}

/** Returns the answer in a frame; undefined if the frame is damaged or has another name. @param bytes maximum size of the text */
export async function decodeFrame(frame: Buffer, name: string, bytes: number): Promise<string | undefined> {
  if (frame.length < BODY_START || frame[0] !== VERSION) return undefined;
  const flags = frame[1] as number;
  if (flags > (DEFLATED | TWO_BYTES) || frame.readUInt32BE(2) !== name.length) return undefined;
  const checksum = frame.subarray(CHECKSUM_START, BODY_START);
  if (!digestFrame(frame).equals(checksum)) return undefined;
  const plain = await unpackBody(frame.subarray(BODY_START), (flags & DEFLATED) !== 0, bytes);
  if (plain === undefined || plain.length > bytes) return undefined;
  const text = plain.toString((flags & TWO_BYTES) === 0 ? 'latin1' : 'utf16le');
  return text.startsWith(name) ? text.slice(name.length) : undefined;
}

async function unpackBody(body: Buffer, deflated: boolean, bytes: number): Promise<Buffer | undefined> {
  if (!deflated) return body;
  try {
    return await inflate(body, { maxOutputLength: bytes });
  } catch {
    return undefined;
  }
}

/** Digests the frame except the checksum itself. */
function digestFrame(frame: Buffer): Buffer {
  const hash = createHash('sha256')
    .update(frame.subarray(0, CHECKSUM_START))
    .update(frame.subarray(BODY_START));
  return hash.digest().subarray(0, CHECKSUM_BYTES);
}
