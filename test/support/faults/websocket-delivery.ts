import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { createDeflateBomb } from './bomb.ts';
import { BOMB_BYTES, type Call, type Delivery, type Framing } from './fault.ts';
import { encodeFrame, encodeFrameHead, FIN, TEXT } from './frames.ts';
import { trickle } from './http-delivery.ts';

/** RSV1, the bit of a compressed message (RFC 7692). */
const COMPRESSED = 0x40;
/** WebSocket close codes: internal error, try again later. */
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** Sends a response over a WebSocket; writes to its raw `socket` what `ws` would not send. */
export function deliverOverWebSocket(
  text: string,
  call: Call,
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
        socket.write(encodeFrame(FIN | COMPRESSED | TEXT, createDeflateBomb(call.id)));
      } else {
        socket.write(Buffer.concat([encodeFrameHead(FIN | TEXT, BOMB_BYTES), payload]));
      }
      return;
    case 'status':
      webSocket.close(delivery.status === 429 ? TRY_AGAIN_LATER : INTERNAL_ERROR);
      return;
    case 'own':
      delivery.pour({ text, call, socket, webSocket });
      return;
  }
}

function cut(payload: Buffer, length: number, framing: Framing, socket: Socket): void {
  const part = payload.subarray(0, length);
  if (framing === 'none') {
    socket.write(encodeFrame(FIN | TEXT, part));
    return;
  }
  const head =
    framing === 'length' ? encodeFrameHead(FIN | TEXT, payload.length) : encodeFrameHead(TEXT, part.length);
  socket.write(Buffer.concat([head, part]), () => socket.destroy());
}
