import type { Server as HttpServer, ServerOptions as HttpServerOptions, IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from '../gateway/gateway.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import { nameOwner } from '../util/owner.ts';
import { readErrorCode } from '../util/system-error.ts';
import { waitForAnswers } from './answer-order.ts';
import { ConnectionTable } from './connection.ts';
import { CorsPolicy } from './cors.ts';
import { endStalled } from './end-connection.ts';
import { FastPathEndpoint } from './fast-path-endpoint.ts';
import { FastPathLane } from './fast-path-lane.ts';
import { ServiceHealth } from './health.ts';
import { HttpEndpoint } from './http.ts';
import { ignoreUpgrade } from './ignored-upgrade.ts';
import { createHttpListener, createTlsListener, type Listener } from './listener.ts';
import type { ListenerLimits, ServerOptions } from './options.ts';
import { MAX_HEADER_FIELDS } from './request-head.ts';
import { ResponseWriter } from './response-writer.ts';
import { SlicedReading } from './sliced-reading.ts';
import { type ShareFigures, TransportShares } from './transport-shares.ts';
import { readPeer, VisitorReader } from './visitor.ts';
import { WebSocketEndpoint } from './websocket.ts';

export type ServerParts = {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  /** Health of the service; by default, the service is ready until it is closed. */
  readonly health?: ServiceHealth;
  readonly log: Logger;
  /** Called for every request. */
  readonly requests?: RequestObserver;
};

export type ListenAddress = { readonly host: string; readonly port: number };

/** Server for HTTP and WebSocket on one port, with or without TLS. */
export interface Server {
  /** Resolves to the bound address; rejects with the error of Node.js if the address cannot be bound. */
  listen(): Promise<ListenAddress>;
  /** Reloads the TLS certificate, as if its files had changed. Open connections keep their certificate and stay open. */
  reload(): void;
  /**
   * Shuts the server down. For `limits.drainDelay`, readiness probes fail and each connection closes with its next answer, so that load balancers
   * stop sending requests. After `drainDelay`, the server stops accepting connections, answers running requests and requests that arrive shortly
   * after, and closes every connection. Requests that are not answered after `limits.drainTimeout` are aborted. Always resolves; repeated calls wait
   * for the same shutdown.
   */
  close(): Promise<void>;
  /**
   * Closes this many connections so that their clients may connect to another process on this port. Each of these connections is closed with its next
   * HTTP answer that is not a stream. The number replaces the number of an earlier call, even if fewer connections than that have been closed.
   */
  partWith(connections: number): void;
  /** Number of open connections, including WebSockets. */
  readonly connections: number;
  readonly webSockets: number;
  readonly shares: ShareFigures;
}

/**
 * Time for which idle connections stay open after the server stops accepting, ms. If a request arrives on an idle connection in this time, its answer
 * announces the close to the client.
 */
const LAST_REQUESTS_MS = 250;
/** Maximum processor time for accepting queued connections at shutdown, microseconds. A thousand connections are accepted in 25,000 microseconds. */
const ACCEPTING_US = 250_000;
const MIN_CHECKING_INTERVAL_MS = 10;
const MAX_CHECKING_INTERVAL_MS = 50;
/**
 * Requested length of the accept backlog, which the kernel limits to `net.core.somaxconn`. If the backlog is full, the kernel drops connection
 * attempts, and their clients retry after a second.
 */
const BACKLOG = 65_535;
/** Maximum size of a request head, bytes; enough for the headers of browsers and proxies. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Creates a server that does not listen yet. */
export function createServer(parts: ServerParts): Server {
  return new NodeServer(parts);
}

class NodeServer implements Server {
  readonly #options: ServerOptions;
  readonly #listener: Listener;
  readonly #http: HttpServer;
  readonly #webSockets: WebSocketEndpoint;
  readonly #health: ServiceHealth;
  readonly #connections: ConnectionTable;
  readonly #shares: TransportShares;
  readonly #lane: FastPathLane;
  readonly #writer: ResponseWriter;
  /** Number of connections accepted so far. */
  #accepted = 0;
  #closed: Promise<void> | undefined;

  constructor(parts: ServerParts) {
    const { gateway, options, log, health = new ServiceHealth(), requests } = parts;
    const { limits } = options;
    this.#options = options;
    const shares = new TransportShares(limits, (bound, session) => {
      gateway.noteRefusal(bound, session);
      const key = session && { id: session.principal.id, name: session.principal.name };
      log.warn(
        { bound, network: session?.network.name, key },
        'a connection was closed: a bound was reached',
      );
    });
    const connections = new ConnectionTable(shares.unsent);
    const cors = new CorsPolicy(options.cors);
    const writer = new ResponseWriter(cors, limits.sendTimeout, shares.compression);
    const visitors = new VisitorReader(options.listen.trustedProxies ?? []);
    const endpoint = new HttpEndpoint({
      gateway,
      options,
      log,
      connections,
      cors,
      writer,
      shares,
      health,
      visitors,
      requests,
    });
    const webSockets = new WebSocketEndpoint({ gateway, options, log, visitors, shares, requests });
    const listener = createListener(
      options,
      log,
      (socket) => {
        this.#accepted++;
        return admitConnection(socket, shares, visitors);
      },
      () => shares.noteBound('tls.handshakeTime'),
    );
    const { http } = listener;
    http.maxConnections = limits.connections;
    // 0 means that the number of header fields is not limited. Above a limit, Node.js would silently drop header fields, but requests with too many
    // fields must be refused.
    http.maxHeadersCount = 0;
    const lane = new FastPathLane({
      endpoint: new FastPathEndpoint({ gateway, limits, log, writer, visitors, shares, requests }),
      gateway,
      limits,
      connections,
      writer,
      shares,
      visitors,
      handOver: (socket) => {
        listener.serveByNode(socket);
        const connection = connections.of(socket);
        const owner = nameOwner(readPeer(socket));
        const { pipelinedRequests } = limits;
        connection.reading = new SlicedReading({ socket, connection, owner, shares, pipelinedRequests });
      },
    });
    listener.onConnection((socket) => lane.accept(socket));
    http.on('request', (request, response) => endpoint.onRequest(request, response));
    http.on('checkContinue', (request, response) => endpoint.onRequest(request, response, true));
    http.on('checkExpectation', (request, response) => endpoint.onRequest(request, response));
    http.on('clientError', (error, socket) => endpoint.onClientError(error, socket));
    http.on('timeout', (socket: Socket) => endStalled(socket, () => endpoint.onTimeout(socket)));
    const afterAnswers = (socket: Duplex, action: () => void): void =>
      waitForAnswers(socket, connections.of(socket), limits.sendTimeout, action);
    const stopReading = (socket: Duplex): Buffer => {
      const connection = connections.of(socket);
      const reserved = connection.reading?.stop() ?? Buffer.alloc(0);
      connection.reading = undefined;
      return reserved;
    };
    http.on('connect', (request, socket) => {
      stopReading(socket);
      afterAnswers(socket, () => {
        if (hasTooManyFields(request)) endpoint.refuseRaw(socket, 'head.bytes');
        else endpoint.refuseRaw(socket, 'methodNotAllowed', ['Allow', 'GET, HEAD, POST, OPTIONS']);
      });
    });
    http.on('upgrade', (request, socket, head) => {
      const rest = Buffer.concat([head, stopReading(socket)]);
      afterAnswers(socket, () => {
        if (hasTooManyFields(request)) endpoint.refuseRaw(socket, 'head.bytes');
        else if (WebSocketEndpoint.isMeant(request)) webSockets.onUpgrade(request, socket, rest);
        else if (!ignoreUpgrade(request, socket, rest, (again) => lane.begin(again)))
          endpoint.refuseRaw(socket, 'malformedHead');
      });
    });
    http.on(
      'error',
      createFaultHandler(log, () => lane.closeIdle()),
    );
    this.#connections = connections;
    this.#shares = shares;
    this.#listener = listener;
    this.#http = http;
    this.#lane = lane;
    this.#health = health;
    this.#writer = writer;
    this.#webSockets = webSockets;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get webSockets(): number {
    return this.#webSockets.size;
  }

  get shares(): ShareFigures {
    return this.#shares.figures;
  }

  listen(): Promise<ListenAddress> {
    const { host, port } = this.#options.listen;
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen({ host, port, backlog: BACKLOG }, () => {
        this.#http.removeListener('error', reject);
        const bound = this.#http.address() as AddressInfo;
        resolve({ host: bound.address, port: bound.port });
      });
    });
  }

  reload(): void {
    this.#listener.reload();
  }

  partWith(connections: number): void {
    this.#writer.partWith(connections);
  }

  close(): Promise<void> {
    this.#closed ??= this.#drainAndClose();
    return this.#closed;
  }

  async #drainAndClose(): Promise<void> {
    const { drainDelay, drainTimeout } = this.#options.limits;
    this.#health.beginDraining();
    this.#writer.beginClosing();
    if (drainDelay > 0 && this.#http.listening) await wait(drainDelay);
    await this.#acceptWaiting();
    const allClosed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    this.#webSockets.beginClosing();
    const grace = Math.min(drainTimeout, LAST_REQUESTS_MS);
    await Promise.race([allClosed, wait(grace)]);
    // Waits one iteration of the event loop, so that connections with unread bytes are read and do not count as idle.
    await nextTurn();
    this.#listener.close();
    this.#lane.endIdle();
    this.#connections.endIdle();
    await Promise.race([allClosed, this.#cutOffStalled()]);
    this.#connections.terminate();
    await allClosed;
  }

  /**
   * Accepts queued connections, because the kernel resets established connections that are never accepted. In each iteration of the event loop, libuv
   * accepts a few connections. Processor time is limited, not wall time: on a busy machine, few iterations run in the same wall time.
   */
  async #acceptWaiting(): Promise<void> {
    const until = performance.now() + this.#options.limits.drainTimeout;
    const start = process.cpuUsage();
    const hasTime = (): boolean => {
      const { user, system } = process.cpuUsage(start);
      return user + system < ACCEPTING_US && performance.now() < until;
    };
    for (let before = -1; before !== this.#accepted && hasTime(); ) {
      before = this.#accepted;
      // Two iterations are awaited, because the first one may end before sockets are polled.
      await nextTurn();
      await nextTurn();
    }
  }

  /** Resolves after `drainTimeout`, when the caller closes the remaining connections. */
  #cutOffStalled(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, this.#options.limits.drainTimeout).unref();
    });
  }
}

function createListener(
  { listen, limits }: ServerOptions,
  log: Logger,
  admits: (socket: Socket) => boolean,
  onLate: () => void,
): Listener {
  const http = describeHttp(limits);
  if (listen.tls === undefined) return createHttpListener(http, admits);
  const { handshakeTimeout } = limits;
  return createTlsListener({ http, files: listen.tls, handshakeTimeout, admits, onLate, log });
}

/**
 * Whether the address of a new connection may have one more connection. The addresses of trusted proxies are exempt from this bound, because a proxy
 * forwards the requests of many clients.
 */
function admitConnection(socket: Socket, shares: TransportShares, visitors: VisitorReader): boolean {
  const budget = shares.connections;
  const peer = readPeer(socket);
  const owner = nameOwner(peer);
  if (visitors.isProxy(peer)) budget.take(owner, 1);
  else if (!budget.tryTake(owner, 1)) {
    shares.noteRefusal('connections');
    shares.noteBound('connections');
    return false;
  }
  socket.once('close', () => budget.giveBack(owner, 1));
  return true;
}

function hasTooManyFields({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * MAX_HEADER_FIELDS;
}

/**
 * Creates the handler of failed accepts. Most accepts fail because the process has no free file descriptor, so the handler closes idle connections.
 */
function createFaultHandler(log: Logger, closeIdle: () => void): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    // Errors of `listen` are handled by `listen` itself.
    if (error.syscall !== 'accept') return;
    log.error(
      { fault: readErrorCode(error) ?? 'unknown' },
      'connections could not be accepted; raise the limit of open files (ulimit -n) or lower limits.connections',
    );
    closeIdle();
  };
}

function describeHttp({ headersTimeout, bodyTimeout, keepAliveTimeout }: ListenerLimits): HttpServerOptions {
  return {
    headersTimeout,
    requestTimeout: Math.max(bodyTimeout, headersTimeout),
    keepAliveTimeout,
    connectionsCheckingInterval: checkingInterval(headersTimeout, bodyTimeout),
    maxHeaderSize: MAX_HEADER_BYTES,
    // The gateway refuses a request without a Host header, with a body that explains why.
    requireHostHeader: false,
    noDelay: true,
  };
}

/**
 * Returns the interval at which Node.js searches for slow requests, ms. A time limit is exceeded by at most a quarter. With a short interval, slow
 * requests that began shortly after each other are not all ended at once.
 */
function checkingInterval(headersTimeout: number, bodyTimeout: number): number {
  const quarter = Math.ceil(Math.min(headersTimeout, bodyTimeout) / 4);
  return Math.max(MIN_CHECKING_INTERVAL_MS, Math.min(MAX_CHECKING_INTERVAL_MS, quarter));
}
