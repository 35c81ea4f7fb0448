/** Connections of the HTTP client to nodes. */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { READ_MEMORY } from '../../util/read-memory.ts';
import { boundFraming } from './bound-framing.ts';

/** Members of undici's internal HTTP parser of a connection. */
type Parser = { readonly paused: boolean; shouldKeepAlive: boolean; resume(): void };

const { kParser } = createRequire(import.meta.url)('undici/lib/core/symbols.js') as { kParser: symbol };

function findPaused(socket: Socket): Parser | undefined {
  const parser = (socket as unknown as Readonly<Record<symbol, Parser | null | undefined>>)[kParser];
  return parser?.paused === true ? parser : undefined;
}

/** Resumes a paused parser when the socket emits `end`. The socket has no more data, so resuming the parser only lets it complete the answer. */
function endPaused(this: Socket): void {
  findPaused(this)?.resume();
  failPaused.call(this);
}

/** Makes undici fail the request instead of completing a paused parser, as undici does for keep-alive connections. */
function failPaused(this: Socket): void {
  const parser = findPaused(this);
  if (parser !== undefined) parser.shouldKeepAlive = true;
}

/**
 * Creates a connector for undici that works around nodejs/undici#5360. If a socket ends, fails or closes while its parser is paused, undici 7 throws
 * from the socket event, which ends the process, or discards a keep-alive answer that was received completely.
 * @param timeout timeout of connecting, ms
 */
export function createConnector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, onread: READ_MEMORY });
  return (options, callback) => {
    connect(options, (...connected) => {
      if (connected[1]) boundFraming(connected[1]);
      // Registered before undici's own listeners, so that these listeners run first.
      connected[1]?.on('end', endPaused).on('error', failPaused).on('close', failPaused);
      callback(...connected);
    });
  };
}
