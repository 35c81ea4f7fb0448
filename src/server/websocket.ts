import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Refusal, Session } from '../gateway/admission.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Visitor } from '../gateway/visitor.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { CorsPolicy } from './cors.ts';
import { Heartbeat } from './heartbeat.ts';
import type { ListenerLimits, ServerOptions } from './options.ts';
import { sendRawResponse } from './raw-response.ts';
import {
  findRoute,
  readRequestHead,
  readSessionParameter,
  readTrustParameter,
  splitTarget,
} from './request-head.ts';
import type { TransportShares } from './transport-shares.ts';
import { readPeer, type VisitorReader } from './visitor.ts';
import { MAX_FRAGMENTS } from './websocket-arrival.ts';
import type { WebSocketConnection, WebSocketParts } from './websocket-connection.ts';

export type WebSocketEndpointParts = {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly visitors: VisitorReader;
  readonly shares: TransportShares;
  readonly requests: RequestObserver | undefined;
};

const SWITCHING_PROTOCOLS = 101;
/** Assumed minimum average size of the chunks of a frame, bytes; TCP segments usually have at least 536 bytes. */
const MIN_CHUNK_BYTES = 256;

/** An admitted upgrade. The function `admit` checks the key of the connection again. */
type Admitted = {
  /** Owner of the WebSocket in the shared bounds. */
  readonly owner: string;
  readonly session: Session;
  readonly visitor: Visitor;
  readonly admit: () => PromiseOrValue<Session | Refusal>;
  readonly acceptor: Acceptor;
};

/** Parts of ws and of its connection module, which are loaded at the first upgrade. */
type Acceptor = {
  readonly upgrades: WebSocketServer;
  readonly createConnection: (parts: WebSocketParts) => WebSocketConnection;
};

/**
 * Interval of rechecks, ms. The key store learns of a revoked key within half a second, so connections of a revoked key are closed within one second.
 */
const RECHECK_MS = 400;
/** Number of parts into which the connections are divided for a check of their keys; one part is checked per timer tick. */
const RECHECK_PARTS = 8;

/** JSON-RPC over WebSocket. Network and key are checked at the upgrade, and the key again for every message. */
export class WebSocketEndpoint {
  readonly #gateway: Gateway;
  readonly #limits: ListenerLimits;
  readonly #log: Logger;
  readonly #cors: CorsPolicy;
  readonly #visitors: VisitorReader;
  readonly #shares: TransportShares;
  readonly #requests: RequestObserver | undefined;
  #acceptor: Promise<Acceptor> | undefined;
  readonly #connections = new Set<WebSocketConnection>();
  /** Connections whose key is still to be checked in this round. */
  readonly #due = new Set<WebSocketConnection>();
  readonly #heartbeat: Heartbeat;
  readonly #rechecks: NodeJS.Timeout;
  #closing = false;

  constructor({ gateway, options, log, visitors, shares, requests }: WebSocketEndpointParts) {
    this.#gateway = gateway;
    this.#limits = options.limits;
    this.#log = log;
    this.#visitors = visitors;
    this.#shares = shares;
    this.#cors = new CorsPolicy(options.cors);
    this.#requests = requests;
    this.#heartbeat = new Heartbeat(this.#limits.webSocketPing);
    this.#rechecks = setInterval(() => this.#recheck(), RECHECK_MS / RECHECK_PARTS);
    this.#rechecks.unref();
  }

  /** Whether an upgrade request is for a WebSocket; upgrades to other protocols are ignored. */
  static isMeant(request: IncomingMessage): boolean {
    return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
  }

  /** Number of open WebSockets. */
  get size(): number {
    return this.#connections.size;
  }

  /**
   * Answers an upgrade request with 101 or a refusal, in a scheduler slot of its address, because many requests may arrive in one iteration of the
   * event loop.
   */
  onUpgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void {
    const destroy = (): void => {
      socket.destroy();
    };
    socket.on('error', destroy);
    SCHEDULER.rejoin(nameOwner(readPeer(socket)))
      .then(() => this.#admit(request))
      .then((admitted) => {
        this.#requests?.countStatus('refused' in admitted ? admitted.refused.status : SWITCHING_PROTOCOLS);
        if ('refused' in admitted) {
          sendRawResponse(socket, admitted.refused);
          return;
        }
        socket.removeListener('error', destroy);
        admitted.acceptor.upgrades.handleUpgrade(request, socket, rest, (ws) =>
          this.#open(ws, socket, admitted),
        );
      })
      .catch((error: unknown) => {
        this.#log.error({ err: error }, 'a WebSocket could not be opened');
        sendRawResponse(socket, this.#gateway.refuse('internal'));
      });
  }

  /** Stops accepting messages and upgrades. Each connection closes once it has sent the answers to running messages. */
  beginClosing(): void {
    this.#closing = true;
    this.#heartbeat.stop();
    clearInterval(this.#rechecks);
    for (const connection of this.#connections) connection.beginClosing();
  }

  async #admit(request: IncomingMessage): Promise<Admitted | Refusal> {
    const head = readRequestHead(request.rawHeaders);
    const target = splitTarget(request.url as string);
    const route = findRoute(target.path);
    if (head.hasTwoHosts) return { refused: this.#gateway.refuse('malformedHead') };
    if (route.to !== 'webSocket') return { refused: this.#gateway.refuse('notFound') };
    if (!this.#cors.allows(head.origin)) return { refused: this.#gateway.refuse('forbiddenOrigin') };
    if (this.#closing) return { refused: this.#gateway.refuse('stopping') };
    if (target.host !== undefined) head.host = target.host;
    head.session ??= readSessionParameter(target.path);
    if (readTrustParameter(target.path)) head.showsTrust = true;
    const visitor = this.#visitors.describe(head, route, request.socket);
    return this.#admitVisitor(visitor, request.socket);
  }

  /**
   * Admits an upgrade. While the key is checked, the WebSocket counts for the client address, and the upgrade counts for the unchecked key. After the
   * key is checked, the WebSocket counts for the key.
   */
  async #admitVisitor(visitor: Visitor, socket: Socket): Promise<Admitted | Refusal> {
    const { webSockets, upgrades } = this.#shares;
    const address = nameOwner(visitor.address);
    const sentKey = visitor.key ?? '';
    if (!webSockets.hasRoom(address, 1)) return this.#refuseBound('webSockets');
    if (!upgrades.tryTake(sentKey, 1)) return this.#refuseBound('webSockets.upgrades');
    webSockets.take(address, 1);
    let admitted: Session | Refusal;
    let acceptor: Acceptor;
    try {
      admitted = await this.#gateway.admit(visitor);
      if ('refused' in admitted) return admitted;
      this.#acceptor ??= this.#createAcceptor();
      acceptor = await this.#acceptor;
    } finally {
      webSockets.giveBack(address, 1);
      upgrades.giveBack(sentKey, 1);
    }
    const owner = nameOwner(visitor.address, admitted.principal.id);
    if (socket.destroyed || !webSockets.tryTake(owner, 1)) return this.#refuseBound('webSockets', admitted);
    socket.once('close', () => webSockets.giveBack(owner, 1));
    const known: Visitor = { ...visitor, wasAdmitted: true };
    const admit = (): PromiseOrValue<Session | Refusal> => this.#gateway.admit(known);
    return { owner, session: admitted, visitor, admit, acceptor };
  }

  #refuseBound(bound: 'webSockets' | 'webSockets.upgrades', session?: Session): Refusal {
    this.#shares.noteRefusal('webSockets');
    return { refused: this.#gateway.refuse(bound, session) };
  }

  /** Called at the first upgrade, not at the start, because loading ws takes 50 ms. */
  async #createAcceptor(): Promise<Acceptor> {
    const { WebSocketServer } = await import('ws');
    const { WebSocketConnection } = await import('./websocket-connection.ts');
    const acceptor = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.bodyBytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: Math.ceil(this.#limits.bodyBytes / MIN_CHUNK_BYTES) + MAX_FRAGMENTS,
    });
    acceptor.on('wsClientError', (_error, socket) => {
      sendRawResponse(socket, this.#gateway.refuse('malformedHead'));
    });
    return { upgrades: acceptor, createConnection: (parts) => new WebSocketConnection(parts) };
  }

  #open(ws: WebSocket, socket: Duplex, { owner, session, visitor, admit, acceptor }: Admitted): void {
    const connection = acceptor.createConnection({
      ws,
      socket,
      admit,
      gateway: this.#gateway,
      limits: this.#limits,
      shares: this.#shares,
      owner,
      visitor,
      requests: this.#requests,
    });
    this.#connections.add(connection);
    this.#heartbeat.add(connection);
    ws.once('close', (code) => {
      this.#connections.delete(connection);
      this.#due.delete(connection);
      this.#heartbeat.delete(connection);
      this.#log.debug({ code, network: session.network.name }, 'WebSocket closed');
    });
    if (this.#closing) connection.beginClosing();
  }

  /** Rechecks a part of the connections, because checking all keys at the same time would overload the key store. */
  #recheck(): void {
    let due = Math.ceil(this.#connections.size / RECHECK_PARTS);
    for (const connection of this.#due) {
      if (due-- <= 0) return;
      this.#due.delete(connection);
      void connection.recheck();
    }
    if (this.#due.size === 0) for (const connection of this.#connections) this.#due.add(connection);
  }
}
