import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Headers of an upgrade (RFC 9110 7.8, RFC 7540 3.2), which are removed from the request. */
const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);
/**
 * Matches a line end. A header value that Node.js has parsed never contains a line end; the check ensures that no value can end the rewritten head
 * early.
 */
const LINE_END = /[\r\n]/;

/**
 * Serves a request without the upgrade that it offers, because a server may ignore any upgrade. Some clients offer the upgrade `h2c` with each POST,
 * for which Node.js 20 emits `upgrade` instead of `request`. The request is put back on the socket without the upgrade headers, so that Node.js
 * parses it again as a normal request.
 * @param request request whose `rawHeaders` must be complete
 * @param accept accepts a connection as if it were new
 * @returns whether the request was put back; false if a header contains a line end
 */
export function ignoreUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  rest: Buffer,
  accept: (socket: Socket) => void,
): boolean {
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const { rawHeaders } = request;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const value = rawHeaders[i + 1] as string;
    const lowerCase = name.toLowerCase();
    if (LINE_END.test(value)) return false;
    if (lowerCase === 'connection') head += describeConnection(name, value);
    else if (!UPGRADE_HEADERS.has(lowerCase)) head += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]));
  accept(socket as Socket);
  return true;
}

/**
 * Returns the `Connection` header line without the upgrade options. Connection options that are not about an upgrade, mainly `close`, are preserved.
 */
function describeConnection(name: string, value: string): string {
  const options = value
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '' && !UPGRADE_HEADERS.has(option.toLowerCase()));
  return options.length === 0 ? '' : `${name}: ${options.join(', ')}\r\n`;
}
