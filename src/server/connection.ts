import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestScope } from '../util/request-scope.ts';
import { SmallSet } from '../util/small-set.ts';
import { endIdle } from './end-connection.ts';
import type { SendBacklog } from './send-backlog.ts';
import type { SendBacklogTotal } from './send-backlog-total.ts';
import type { SlicedReading } from './sliced-reading.ts';

/** A request whose head node has read, and its response. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Origin of a request; the key once it is known. */
export type AnsweredCaller = {
  readonly visitor: { readonly address: string };
  readonly keyId: string | undefined;
};

/** One HTTP connection: its unanswered requests, which are aborted when it closes, and its send backlog. */
export class Connection {
  /** The next request arrived before this one was answered. Only set on a fast-path connection. */
  hasNext = false;
  /** The last answer announced the close: further bytes are not read as requests. */
  isOver = false;
  /** node's parser rejected its last input. */
  isBroken = false;
  /** The last request. Only set on a connection that node reads. */
  newest: Exchange | undefined;
  /** Requests whose heads node has read. */
  begun = 0;
  /** Owner of the newest request: the key once it is known, otherwise the address. */
  owner: string | undefined;
  /** The caller being answered. Only set on a fast-path connection. */
  caller: AnsweredCaller | undefined;
  /** Paced reader of the connection while node's server has it. */
  reading: SlicedReading | undefined;
  #isClosed = false;
  readonly #socket: Duplex;
  readonly #sendBacklogTotal: SendBacklogTotal;
  readonly #scopes = new SmallSet<RequestScope>();
  #unanswered = 0;
  /** Action to run once at most `left` requests are unanswered. */
  #afterAnswers: { readonly left: number; readonly action: () => void } | undefined;
  /** Bytes read when the last answer was sent; undefined before the first. */
  #bytesAtRest: number | undefined;
  #sendBacklog: SendBacklog | undefined;

  constructor(socket: Duplex, sendBacklogTotal: SendBacklogTotal) {
    this.#socket = socket;
    this.#sendBacklogTotal = sendBacklogTotal;
  }

  get pending(): number {
    return this.#scopes.size;
  }

  /** Send backlog: response bytes that the kernel has not taken. */
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
   * Records a request whose head node has read.
   * @param onAnswered called when no request is unanswered any more
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

  /** Requests whose answers are not fully sent. Only counted on a connection that node reads. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Whether the last request has not arrived completely. */
  get isReceiving(): boolean {
    return this.newest?.request.complete === false;
  }

  /** Whether that incomplete request is already answered: anything written now would be taken for another answer. */
  get isDiscarding(): boolean {
    return this.isReceiving && this.newest?.response.headersSent === true;
  }

  /**
   * Runs `action` once, when all completely received requests are answered: immediately if they are, never if the
   * connection closes first.
   */
  runAfterAnswers(action: () => void): void {
    const left = this.isReceiving && !this.isDiscarding ? 1 : 0;
    if (this.#unanswered <= left) action();
    else this.#afterAnswers = { left, action };
  }

  /** Whether node has read at least one request, all are answered, and no byte of another has arrived. */
  get isIdle(): boolean {
    return this.#unanswered === 0 && this.#bytesAtRest === (this.#socket as Socket).bytesRead;
  }
}

/**
 * Connections by socket. Each has one `close` listener, not one per request: responses queued in a pipeline get no
 * `close` event of their own.
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

  /**
   * Returns the connection of a socket, registered on first use; a closed socket is not registered, since nothing
   * would remove it.
   */
  of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    return socket.destroyed ? new Connection(socket, this.#sendBacklogTotal) : this.#enter(socket);
  }

  /** Ends connections that wait for a request, and those on which nothing was ever received. @see endIdle */
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
