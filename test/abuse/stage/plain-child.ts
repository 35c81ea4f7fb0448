/**
 * A server of Node.js and `ws` without any code of this project, in the place of the service: it reads each request to its end and answers the
 * neighbour from a list. The neighbour's latency beside an abuse of it is what this machine and Node.js alone make of the abuse.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { ask } from '../../operations/load/questions.ts';
import { createCertificate } from '../../support/certificate.ts';
import type { FixedAnswer, FromPlain } from './plain-server.ts';

/** A longer body is not the neighbour's and is not parsed: parsing could only slow the neighbour down. */
const MAX_PARSED_BYTES = 64 * 1024;
/** Maximum connections of one address, and of the kernel's backlog: the same as in the service. */
const MAX_HELD = 2_048;
const BACKLOG = 65_535;
const REFUSED = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}';

let results: ReadonlyMap<string, string> = new Map();

function answer(body: Buffer): string {
  if (body.length > MAX_PARSED_BYTES) return REFUSED;
  try {
    const { id, method, params } = JSON.parse(body.toString()) as Record<string, unknown>;
    const result = results.get(JSON.stringify([method, params]));
    if (result !== undefined) return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    return typeof id === 'number' ? ask(id).answer : REFUSED;
  } catch {
    return REFUSED;
  }
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = answer(Buffer.concat(chunks));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
}

const isSecure = process.argv[2] === 'secure';
const server = isSecure ? createSecureServer(createCertificate(), serve) : createServer(serve);
const webSockets = new WebSocketServer({ server });
webSockets.on('connection', (socket) => {
  socket.on('error', () => socket.terminate());
  socket.on('message', (body: Buffer) => socket.send(answer(body)));
});
webSockets.on('error', () => {});
server.on('clientError', (_error, socket) => socket.destroy());
server.on('error', (error) => {
  throw error;
});
const reserved = new Map<string, number>();
server.prependListener('connection', (socket: Socket) => {
  const { remoteAddress = '' } = socket;
  const count = (reserved.get(remoteAddress) ?? 0) + 1;
  if (count > MAX_HELD) {
    socket.destroy();
    return;
  }
  reserved.set(remoteAddress, count);
  socket.once('close', () => reserved.set(remoteAddress, (reserved.get(remoteAddress) ?? 1) - 1));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
await once(server, 'listening');

process.on('disconnect', () => process.exit());
process.on('message', (answers: readonly FixedAnswer[]) => {
  results = new Map(answers.map(({ request: asked, result }) => [asked, result]));
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies FromPlain);
});
process.send?.({ port: (server.address() as AddressInfo).port } satisfies FromPlain);
