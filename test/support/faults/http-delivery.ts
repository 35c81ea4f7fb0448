import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createGzipBomb } from './bomb.ts';
import { type Call, type Delivery, TRICKLE_MS } from './fault.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Sends a response over HTTP, delivered as the fault demands. */
export function deliverOverHttp(
  text: string,
  call: Call,
  delivery: Delivery | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { socket } = request;
  const bytes = Buffer.from(text);
  switch (delivery?.kind) {
    case undefined:
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': bytes.length }).end(bytes);
      return;
    case 'hang':
      return;
    case 'refuse':
      socket.destroy();
      return;
    case 'trickle':
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': bytes.length });
      trickle(bytes, socket, (piece) => response.write(piece));
      return;
    case 'cut':
      cut(bytes, Math.floor(delivery.at() * bytes.length), delivery.framing, response);
      return;
    case 'reset':
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length >> 1), () => socket.resetAndDestroy());
      return;
    case 'bomb':
      response.writeHead(200, { ...JSON_HEADERS, 'content-encoding': 'gzip' }).end(createGzipBomb(call.id));
      return;
    case 'status':
      response.writeHead(delivery.status, delivery.headers).end(delivery.body);
      return;
    case 'own':
      delivery.pour({ text, call, socket });
      return;
  }
}

/** Writes one byte after the other until the peer closes. */
export function trickle(bytes: Uint8Array, socket: Socket, write: (piece: Uint8Array) => void): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === bytes.length || socket.destroyed) {
      clearInterval(timer);
      return;
    }
    write(bytes.subarray(sent, sent + 1));
    sent++;
  }, TRICKLE_MS);
}

function cut(
  bytes: Buffer,
  length: number,
  framing: 'length' | 'pieces' | 'none',
  response: ServerResponse,
): void {
  const part = bytes.subarray(0, length);
  if (framing === 'none') {
    // With neither a length nor chunks the end of the connection ends the body.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { ...JSON_HEADERS, connection: 'close' }).end(part);
    return;
  }
  response.writeHead(200, {
    ...JSON_HEADERS,
    ...(framing === 'length' && { 'content-length': bytes.length }),
  });
  response.flushHeaders();
  response.write(part, () => response.socket?.destroy());
}
