import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { createDeflateBomb } from './bomb.ts';
import { BOMB_BYTES, type Delivery, type Framing } from './fault.ts';
import { trickle } from './http-delivery.ts';

/** RFC 6455, section 5.2. */
const FIN = 0x80;
const COMPRESSED = 0x40;
const TEXT = 0x01;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
/** Close codes: internal error, try again later. */
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** Sends an answer over a WebSocket; its raw `socket` is at hand for what `ws` would not do. */
export function deliverOverWebSocket(
  text: string,
  id: unknown,
  delivery: Delivery | undefined,
  webSocket: WebSocket,
  socket: Socket,
): void {
  const payload = Buffer.from(text);
  switch (delivery?.kind) {
    case undefined:
      webSocket.send(text);
      return;
    case 'hang':
      return;
    case 'refuse':
      socket.destroy();
      return;
    case 'trickle':
      trickle(encodeFrame(FIN | TEXT, payload), socket, (piece) => socket.write(piece));
      return;
    case 'cut':
      cut(payload, Math.floor(delivery.at() * payload.length), delivery.framing, socket);
      return;
    case 'reset': {
      const frame = encodeFrame(FIN | TEXT, payload);
      socket.write(frame.subarray(0, frame.length >> 1), () => socket.resetAndDestroy());
      return;
    }
    case 'bomb':
      if (webSocket.extensions.includes('permessage-deflate')) {
        socket.write(encodeFrame(FIN | COMPRESSED | TEXT, createDeflateBomb(id)));
      } else {
        socket.write(Buffer.concat([encodeHead(FIN | TEXT, BOMB_BYTES), payload]));
      }
      return;
    case 'status':
      webSocket.close(delivery.status === 429 ? TRY_AGAIN_LATER : INTERNAL_ERROR);
      return;
  }
}

function cut(payload: Buffer, length: number, framing: Framing, socket: Socket): void {
  const part = payload.subarray(0, length);
  if (framing === 'none') {
    socket.write(encodeFrame(FIN | TEXT, part));
    return;
  }
  const head = framing === 'length' ? encodeHead(FIN | TEXT, payload.length) : encodeHead(TEXT, part.length);
  socket.write(Buffer.concat([head, part]), () => socket.destroy());
}

function encodeFrame(flags: number, payload: Buffer): Buffer {
  return Buffer.concat([encodeHead(flags, payload.length), payload]);
}

function encodeHead(flags: number, length: number): Buffer {
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
