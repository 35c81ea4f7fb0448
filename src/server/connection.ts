import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestScope } from '../util/request-scope.ts';
import { SmallSet } from '../util/small-set.ts';
import { endIdle } from './end-connection.ts';
import type { Outflow } from './outflow.ts';
import type { PacedReading } from './paced-reading.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** A request that node has read the head of, and its response. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Where a request came from; its key once that is known. */
export type AnsweredCaller = {
  readonly visitor: { readonly address: string };
  readonly keyId: string | undefined;
};

/** One HTTP connection: its unanswered requests, which are aborted when it closes, and what of its answers is unsent. */
export class Connection {
  /** The next request came before this one was answered: on a connection that is read here. */
  hasNext = false;
  /** The last answer has announced that there is no further one: what still arrives is not read as requests. */
  isOver = false;
  /** node's parser gave up on what it read last. */
  isBroken = false;
  /** The last request: on a connection that node reads. */
  newest: Exchange | undefined;
  /** Requests that node has read the heads of. */
  begun = 0;
  /** The caller of the newest request: its key once that is known. */
  owner: string | undefined;
  /** The caller that is being answered: on a connection that is read here. */
  caller: AnsweredCaller | undefined;
  /** How node's server reads it, on a connection that it has. */
  reading: PacedReading | undefined;
  #isClosed = false;
  readonly #socket: Duplex;
  readonly #unsentAnswers: UnsentAnswers;
  readonly #scopes = new SmallSet<RequestScope>();
  #unanswered = 0;
  /** What is to be done when only so many requests are left unanswered. */
  #afterAnswers: { readonly left: number; readonly action: () => void } | undefined;
  /** Bytes that had been read when the last answer was out; undefined before the first. */
  #bytesAtRest: number | undefined;
  #outflow: Outflow | undefined;

  constructor(socket: Duplex, unsentAnswers: UnsentAnswers) {
    this.#socket = socket;
    this.#unsentAnswers = unsentAnswers;
  }

  get pending(): number {
    return this.#scopes.size;
  }

  /** What of its answers the kernel has not taken. */
  get outflow(): Outflow {
    this.#outflow ??= this.#unsentAnswers.watch(this.#socket, () => this.#socket.destroy());
    return this.#outflow;
  }

  begin(scope: RequestScope): void {
    if (this.#isClosed) scope.abort();
    else this.#scopes.add(scope);
  }

  end(scope: RequestScope): void {
    this.#scopes.delete(scope);
  }

  /** The socket is closed. */
  abortAll(): void {
    this.#isClosed = true;
    for (const scope of this.#scopes.take()) scope.abort();
  }

  /** Notes a request that node has read the head of. @param onAnswered called when nothing is unanswered any more */
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

  /** Requests with answers that are not sent in full: on a connection that node reads. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Whether the last request has not arrived whole. */
  get isReceiving(): boolean {
    return this.newest?.request.complete === false;
  }

  /** Whether that request has been answered all the same: what is said now would be taken for another answer. */
  get isDiscarding(): boolean {
    return this.isReceiving && this.newest?.response.headersSent === true;
  }

  /**
   * Runs `action` once, when all that came whole is answered: at once where it is. Not at all when the connection closes
   * before.
   */
  runAfterAnswers(action: () => void): void {
    const left = this.isReceiving && !this.isDiscarding ? 1 : 0;
    if (this.#unanswered <= left) action();
    else this.#afterAnswers = { left, action };
  }

  /** Whether node has read a request on it, all of those are answered, and nothing of a further one has come. */
  get isIdle(): boolean {
    return this.#unanswered === 0 && this.#bytesAtRest === (this.#socket as Socket).bytesRead;
  }
}

/**
 * Connections by socket. One `close` listener a connection, not one a request: responses that wait in a
 * pipeline get no `close` event of their own.
 */
export class ConnectionTable {
  readonly #connections = new Map<Duplex, Connection>();
  readonly #unsentAnswers: UnsentAnswers;

  constructor(unsentAnswers: UnsentAnswers) {
    this.#unsentAnswers = unsentAnswers;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** The connection of a socket, entered on first sight; not where it is closed, since nothing would remove it. */
  of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    return socket.destroyed ? new Connection(socket, this.#unsentAnswers) : this.#enter(socket);
  }

  /** Ends connections that wait for a request, and those on which nothing was ever sent. @see endIdle */
  endIdle(): void {
    for (const [socket, connection] of this.#connections) {
      if (socket.writableEnded || !(connection.isIdle || (socket as Socket).bytesRead === 0)) continue;
      connection.isOver = true;
      endIdle(socket);
    }
  }

  /** Closes all of them. */
  terminate(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #enter(socket: Duplex): Connection {
    const connection = new Connection(socket, this.#unsentAnswers);
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.abortAll();
    });
    return connection;
  }
}
