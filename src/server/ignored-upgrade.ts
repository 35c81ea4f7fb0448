import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Hop-by-hop headers of the upgrade that is not taken up (RFC 9110 7.8, RFC 7540 3.2). */
const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Serves a request as if it had asked for no upgrade, which a server may always do. Some clients offer `h2c`
 * on each plain POST, and node 20 takes every upgrade away from `request` once there is an `upgrade` listener:
 * so the request is put back on the socket without those headers and parsed again.
 * @param accept takes a connection as if it were new
 */
export function ignoreUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  rest: Buffer,
  accept: (socket: Socket) => void,
): void {
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const { rawHeaders } = request;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) head += `${name}: ${rawHeaders[i + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]));
  accept(socket as Socket);
}
