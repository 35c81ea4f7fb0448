/** Frames of a WebSocket server (RFC 6455, section 5.2). */

export const FIN = 0x80;
export const CONTINUATION = 0x00;
export const TEXT = 0x01;
export const PING = 0x09;
export const PONG = 0x0a;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Encodes one frame. @param flags FIN and the opcode */
export function encodeFrame(flags: number, payload: Buffer): Buffer {
  return Buffer.concat([encodeFrameHead(flags, payload.length), payload]);
}

/** Encodes the header of a frame with a payload of this length. */
export function encodeFrameHead(flags: number, length: number): Buffer {
  if (length < LENGTH_16) return Buffer.from([flags, length]);
  if (length < 0x1_0000) {
    const head = Buffer.from([flags, LENGTH_16, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = flags;
  head[1] = LENGTH_64;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
