import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestScope } from '../util/request-scope.ts';
import { SmallSet } from '../util/small-set.ts';
import { endIdle } from './end-connection.ts';
import type { SendBacklog } from './send-backlog.ts';
import type { SendBacklogTotal } from './send-backlog-total.ts';
import type { SlicedReading } from './sliced-reading.ts';

/** A request whose head the Node.js server has parsed, and its response. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Address of the client, and its key once it is known. */
export type AnsweredCaller = {
  readonly visitor: { readonly address: string };
  readonly session: { readonly principal: { readonly id: string } } | undefined;
};

/** One HTTP connection: its unanswered requests, which are aborted when the connection closes, and its send backlog. */
export class Connection {
  /** Whether the next request arrived before the current request was answered. Only set on fast-path connections. */
  hasNext = false;
  /** Whether the last answer announced that the connection closes, so that later bytes are not read as requests. */
  isOver = false;
  /** Whether the Node.js HTTP parser rejected the last input. */
  isBroken = false;
  /** The last request. Only set while the Node.js server reads the connection. */
  newest: Exchange | undefined;
  /** Number of requests whose heads the Node.js server has parsed. */
  begun = 0;
  /** Owner of the newest request on the connection: the key if it is known, otherwise the client address. */
  owner: string | undefined;
  /** Caller whose request is being answered. Only set on fast-path connections. */
  caller: AnsweredCaller | undefined;
  /** Rate-limited reader of the connection while the Node.js server reads it. */
  reading: SlicedReading | undefined;
  #isClosed = false;
  readonly #socket: Duplex;
  readonly #sendBacklogTotal: SendBacklogTotal;
  readonly #scopes = new SmallSet<RequestScope>();
  #unanswered = 0;
  /** Action that runs once at most `left` requests are unanswered. */
  #afterAnswers: { readonly left: number; readonly action: () => void } | undefined;
  /** Number of bytes that had been read when the last unanswered request was answered; undefined before the first answer. */
  #bytesAtRest: number | undefined;
  #sendBacklog: SendBacklog | undefined;

  constructor(socket: Duplex, sendBacklogTotal: SendBacklogTotal) {
    this.#socket = socket;
    this.#sendBacklogTotal = sendBacklogTotal;
  }

  get pending(): number {
    return this.#scopes.size;
  }

  /** Send backlog: response bytes that the kernel has not accepted. */
  get sendBacklog(): SendBacklog {
    this.#sendBacklog ??= this.#sendBacklogTotal.watch(this.#socket, () => this.#socket.destroy());
    return this.#sendBacklog;
  }

  begin(scope: RequestScope): void {
    if (this.#isClosed) scope.abort();
    else this.#scopes.add(scope);
  }

  end(scope: RequestScope): void {
    this.#scopes.delete(scope);
  }

  /** Aborts all unanswered requests; called when the socket has closed. */
  abortAll(): void {
    this.#isClosed = true;
    for (const scope of this.#scopes.take()) scope.abort();
  }

  /**
   * Records a request whose head the Node.js server has parsed.
   * @param onAnswered called when no unanswered request is left
   */
  enter(request: IncomingMessage, response: ServerResponse, onAnswered: () => void): void {
    this.#unanswered++;
    this.begun++;
    this.newest = { request, response };
    response.once('close', () => {
      this.#unanswered--;
      if (this.#socket.destroyed) return;
      this.reading?.onAnswered();
      this.#proceed(onAnswered);
    });
  }

  #proceed(onAnswered: () => void): void {
    const next = this.#afterAnswers;
    if (this.#unanswered === 0) this.#bytesAtRest = (this.#socket as Socket).bytesRead;
    if (next === undefined) {
      if (this.#unanswered === 0) onAnswered();
    } else if (this.#unanswered <= next.left) {
      this.#afterAnswers = undefined;
      next.action();
    }
  }

  /** Number of requests whose answers are not fully sent. Requests are counted only while the Node.js server reads the connection. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Whether the last request has not arrived completely. */
  get isReceiving(): boolean {
    return this.newest?.request.complete === false;
  }

  /**
   * Whether the last request is incomplete but already answered. Nothing more may be written for the incomplete request: the client would read it as
   * the answer to its next request.
   */
  get isDiscarding(): boolean {
    return this.isReceiving && this.newest?.response.headersSent === true;
  }

  /** Runs `action` once all completely received requests are answered: immediately if they already are, never if the connection closes first. */
  runAfterAnswers(action: () => void): void {
    const left = this.isReceiving && !this.isDiscarding ? 1 : 0;
    if (this.#unanswered <= left) action();
    else this.#afterAnswers = { left, action };
  }

  /** Whether at least one request was answered, none is unanswered, and no byte of another request has arrived. */
  get isIdle(): boolean {
    return this.#unanswered === 0 && this.#bytesAtRest === (this.#socket as Socket).bytesRead;
  }
}

/**
 * Connections by socket. One `close` listener per socket serves all its requests, because responses that are queued in a pipeline get no `close`
 * event.
 */
export class ConnectionTable {
  readonly #connections = new Map<Duplex, Connection>();
  readonly #sendBacklogTotal: SendBacklogTotal;

  constructor(sendBacklogTotal: SendBacklogTotal) {
    this.#sendBacklogTotal = sendBacklogTotal;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Returns the connection of a socket, registered on first use. A closed socket is not registered, because no event would remove it later. */
  of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    return socket.destroyed ? new Connection(socket, this.#sendBacklogTotal) : this.#enter(socket);
  }

  /** Ends connections that wait for a request, and connections on which nothing was ever received. @see endIdle */
  endIdle(): void {
    for (const [socket, connection] of this.#connections) {
      if (socket.writableEnded || !(connection.isIdle || (socket as Socket).bytesRead === 0)) continue;
      connection.isOver = true;
      endIdle(socket);
    }
  }

  /** Closes all connections. */
  terminate(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #enter(socket: Duplex): Connection {
    const connection = new Connection(socket, this.#sendBacklogTotal);
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.abortAll();
    });
    return connection;
  }
}
