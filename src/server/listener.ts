import { createServer as createHttpServer, type Server as HttpServer, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from '../observe/logger.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { Handshakes } from './handshakes.ts';
import type { TlsOptions } from './options.ts';
import { readTlsPair, type TlsPair } from './tls-files.ts';
import { TlsWatch } from './tls-watch.ts';

/** The Node.js HTTP server whose new connections go to the receiver of `onConnection`; `serveByNode` passes a connection back to the server. */
export interface Listener {
  readonly http: HttpServer;
  /** Registers the receiver of connections; over TLS it is called after the handshake. */
  onConnection(accept: (socket: Socket) => void): void;
  serveByNode(socket: Socket): void;
  /** Reloads the certificate. */
  reload(): void;
  /** Ends pending TLS handshakes, and stops watching the certificate files. */
  close(): void;
}

/** Returns whether a connection is accepted; otherwise it is closed before anything is read from it. */
type Admits = (socket: Socket) => boolean;

/** Creates a listener without TLS. */
export function createHttpListener(options: ServerOptions, admits: Admits): Listener {
  const http = createHttpServer(options);
  keepAnswered(http);
  return {
    http,
    serveByNode: takeConnections(http, 'connection'),
    onConnection(accept) {
      http.on('connection', (socket: Socket) => {
        SCHEDULER.noteConnection();
        if (admits(socket)) accept(socket);
        else socket.destroy();
      });
    },
    reload: () => {},
    close: () => {},
  };
}

export type TlsListenerOptions = {
  readonly http: ServerOptions;
  readonly files: TlsOptions;
  readonly handshakeTimeout: number;
  readonly admits: Admits;
  /** Called for each handshake that takes longer than `handshakeTimeout`. */
  readonly onLate: () => void;
  readonly log: Logger;
};

/**
 * Creates a listener with TLS. The listener uses `https.Server`, because an `http.Server` that does not listen itself does not enforce the time
 * limits of requests.
 * @throws Error that names the option if the certificate cannot be used
 */
export function createTlsListener({
  http,
  files,
  handshakeTimeout,
  admits,
  onLate,
  log,
}: TlsListenerOptions): Listener {
  const pair = readTlsPair(files);
  const server: HttpsServer = createHttpsServer({
    ...http,
    ...describeContext(pair),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout,
  });
  keepAnswered(server);
  const serveByNode = takeConnections(server, 'secureConnection');
  // The default listener would answer failed handshakes with unencrypted HTTP.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') onLate();
    socket.destroy();
  });
  const handshakes = new Handshakes();
  server.on('connection', (socket: Socket) => {
    SCHEDULER.noteConnection();
    if (admits(socket)) handshakes.begin(socket);
    else socket.destroy();
  });
  const watch = new TlsWatch(pair, {
    files,
    log,
    onPair: (next) => server.setSecureContext(describeContext(next)),
  });
  return {
    http: server,
    serveByNode,
    onConnection(accept) {
      server.on('secureConnection', (socket) => {
        handshakes.end(socket);
        accept(socket);
      });
    },
    reload: () => watch.reload(),
    close() {
      watch.close();
      handshakes.terminate();
    },
  };
}

/**
 * Replaces `closeIdleConnections` of the Node.js server by a function that does nothing. Since Node.js 19, `close` calls `closeIdleConnections`,
 * which also ends connections whose complete answer is not sent yet. The shutdown of this server closes idle connections instead.
 */
function keepAnswered(http: HttpServer): void {
  http.closeIdleConnections = () => {};
}

type Context = { readonly cert: string; readonly key: string; readonly minVersion: 'TLSv1.2' };

function describeContext({ cert, key }: TlsPair): Context {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/**
 * Removes the listeners of Node.js for new connections.
 * @returns a function that passes a connection to these listeners
 */
function takeConnections(
  http: HttpServer,
  event: 'connection' | 'secureConnection',
): (socket: Socket) => void {
  const listeners = http.listeners(event) as ((this: HttpServer, socket: Socket) => void)[];
  http.removeAllListeners(event);
  return (socket) => {
    for (const listener of listeners) listener.call(http, socket);
  };
}
