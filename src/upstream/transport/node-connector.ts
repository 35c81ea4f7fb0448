/** Connections of the HTTP client to nodes. */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { READ_MEMORY } from '../../util/read-memory.ts';

/** What undici keeps with a connection to read answers. */
type Parser = { readonly paused: boolean; shouldKeepAlive: boolean; resume(): void };

const { kParser } = createRequire(import.meta.url)('undici/lib/core/symbols.js') as { kParser: symbol };

function findPaused(socket: Socket): Parser | undefined {
  const parser = (socket as unknown as Readonly<Record<symbol, Parser | null | undefined>>)[kParser];
  return parser?.paused === true ? parser : undefined;
}

/** Nothing is left to read: what is known of the answer is handed on, and its end. */
function endPaused(this: Socket): void {
  findPaused(this)?.resume();
  failPaused.call(this);
}

/** As a connection that was to be kept, it fails its request. */
function failPaused(this: Socket): void {
  const parser = findPaused(this);
  if (parser !== undefined) parser.shouldKeepAlive = true;
}

/**
 * Connects as the client does, and looks after connections that end or break while an answer is paused: undici 7 asserts that none is (nodejs/undici#5360). Where
 * the answer is the last one on its connection, that throws out of an event of the socket, which ends the process; elsewhere an answer that has come as a whole fails.
 * @param timeout until it is connected, in milliseconds
 */
export function createConnector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, onread: READ_MEMORY });
  return (options, callback) => {
    connect(options, (...connected) => {
      // Before the client listens.
      connected[1]?.on('end', endPaused).on('error', failPaused).on('close', failPaused);
      callback(...connected);
    });
  };
}
