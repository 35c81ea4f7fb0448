import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isComplete, type JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Refusal, Session } from '../gateway/admission.ts';
import type { TextAnswer, WholeAnswer } from '../gateway/answer.ts';
import { ECHO_BYTES, echoRefusal } from '../gateway/echo-refusal.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RefusalReason, TransportBound } from '../gateway/refusals.ts';
import type { Visitor } from '../gateway/visitor.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import { nameOwner } from '../util/owner.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Connection, ConnectionTable } from './connection.ts';
import type { CorsPolicy } from './cors.ts';
import { describeCredits } from './credits-header.ts';
import type { ServiceHealth } from './health.ts';
import { isJsonType, parseContentEncoding } from './media-type.ts';
import type { ListenerLimits, ServerOptions } from './options.ts';
import { sendRawResponse } from './raw-response.ts';
import { type BodyMemory, decompressBody, discardBody, type RequestBody, readBody } from './request-body.ts';
import {
  findRoute,
  MAX_HEADER_FIELDS,
  type RequestHead,
  type RequestTarget,
  readRequestHead,
  readTrustParameter,
  splitTarget,
} from './request-head.ts';
import { measure, type ResponseWriter } from './response-writer.ts';
import type { TransportShares } from './transport-shares.ts';
import { readPeer, type VisitorReader } from './visitor.ts';

/** Components that the HTTP endpoint uses. */
export type HttpEndpointParts = {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly connections: ConnectionTable;
  readonly cors: CorsPolicy;
  readonly writer: ResponseWriter;
  readonly health: ServiceHealth;
  readonly visitors: VisitorReader;
  readonly shares: TransportShares;
  readonly requests: RequestObserver | undefined;
};

/** A request with its response, its connection and what is known about its caller. */
type HttpRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly connection: Connection;
  readonly visitor: Visitor;
  readonly awaitsContinue: boolean;
  readonly report: RequestReport | undefined;
  /** Owner in the shared bounds: the key if it is known, otherwise the address. */
  owner: string;
};

type HttpRefusal = { readonly answer: TextAnswer; readonly headers?: readonly string[] };

/** JSON-RPC over HTTP: validates a request step by step, reads its body, and passes the body to the gateway. */
export class HttpEndpoint {
  readonly #gateway: Gateway;
  readonly #limits: ListenerLimits;
  readonly #log: Logger;
  readonly #requests: RequestObserver | undefined;
  readonly #connections: ConnectionTable;
  readonly #cors: CorsPolicy;
  readonly #shares: TransportShares;
  readonly #writer: ResponseWriter;
  readonly #health: ServiceHealth;
  readonly #visitors: VisitorReader;

  constructor(parts: HttpEndpointParts) {
    this.#gateway = parts.gateway;
    this.#limits = parts.options.limits;
    this.#log = parts.log;
    this.#requests = parts.requests;
    this.#connections = parts.connections;
    this.#cors = parts.cors;
    this.#shares = parts.shares;
    this.#writer = parts.writer;
    this.#health = parts.health;
    this.#visitors = parts.visitors;
  }

  /** Handles the Node.js events `request` and `checkContinue`; after `checkContinue` the client waits for `100 Continue`. */
  onRequest(request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void {
    const connection = this.#connections.of(request.socket);
    // The previous answer announced that the connection closes, so the client would never get an answer to this request.
    if (connection.isOver) return;
    connection.enter(request, response, () => {
      // The answers were sent as keep-alive, so Node.js does not close the connection itself.
      if (this.#writer.isClosing) request.socket.destroySoon();
    });
    const head = readRequestHead(request.rawHeaders);
    const target = splitTarget(request.url as string);
    if (target.host !== undefined) head.host = target.host;
    if (readTrustParameter(target.path)) head.showsTrust = true;
    const route = findRoute(target.path);
    const visitor = this.#visitors.describe(head, 'key' in route ? route : undefined, request.socket);
    const report = this.#requests?.begin('http', visitor, performance.now());
    const owner = nameOwner(visitor.address);
    connection.owner ??= owner;
    const work = { request, response, head, connection, visitor, awaitsContinue, report, owner };
    if (report !== undefined) this.#reportWhenAnswered(report, request, response);
    if (request.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
      this.#refuse(work, this.#gateway.refuse('head.bytes'));
    } else if (route.to === 'http' && request.method === 'POST' && !head.hasTwoHosts) {
      this.#serve(work).catch((error: unknown) => {
        this.#log.error({ err: error }, 'a request could not be served');
        this.#refuse(work, this.#gateway.refuse('internal'));
      });
    } else {
      this.#answerWithoutCall(work, route);
    }
  }

  /** Handles a request that the Node.js server rejected: it is malformed, too slow, or its head is too large. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.of(socket);
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // Node.js emits `clientError` again if more data arrives.
    if (connection.isBroken) return;
    connection.isBroken = true;
    socket.pause();
    connection.isOver = true;
    const reason = CLIENT_ERRORS[error.code ?? ''] ?? 'malformedHead';
    const end = () => (connection.isDiscarding ? socket.destroy() : this.refuseRaw(socket, reason));
    // The connection is ended in a scheduler slot, because connections that opened at the same time reach their timeout at the same time.
    connection.runAfterAnswers(() => SCHEDULER.enter(nameOwner(readPeer(socket)), end));
  }

  /** Sends a refusal on a connection that the Node.js server no longer manages, and closes the connection. */
  refuseRaw(socket: Duplex, reason: RefusalReason | TransportBound, headers?: readonly string[]): void {
    const refusal = this.#gateway.refuse(reason);
    this.#requests?.countStatus(refusal.status);
    sendRawResponse(socket, refusal, headers);
  }

  /** Handles the Node.js `timeout` event: no byte was read or written for the maximum time. */
  onTimeout(socket: Socket): void {
    const isUnread = socket.writableLength > 0;
    if (isUnread) this.#shares.noteBound('send.time');
    if (isUnread || this.#connections.of(socket).pending === 0) socket.destroy();
  }

  async #serve(work: HttpRequest): Promise<void> {
    const { request, response, head } = work;
    const admission = this.#gateway.admit(work.visitor);
    const admitted = admission instanceof Promise ? await admission : admission;
    if ('refused' in admitted) {
      work.connection.owner = work.owner;
      const answer = work.awaitsContinue ? admitted.refused : await this.#echoRefusal(work, admitted);
      if (answer !== undefined) this.#refuse(work, answer);
      return;
    }
    work.owner = nameOwner(work.visitor.address, admitted.principal.id);
    work.connection.owner = work.owner;
    if (!isJsonType(head.contentType)) {
      this.#refuse(work, this.#gateway.refuse('unsupportedMediaType'));
      return;
    }
    const encoding = parseContentEncoding(head.contentEncoding);
    if (encoding === undefined) {
      const refusal = this.#gateway.refuse('unsupportedMediaType');
      this.#refuse(work, refusal, ['Accept-Encoding', 'gzip']);
      return;
    }
    const limit = this.#limits.bodyBytes;
    if (head.contentLength !== undefined && Number(head.contentLength) > limit) {
      await this.#refuseUnread(work, admitted, 'tooLarge');
      return;
    }
    if (work.awaitsContinue) response.writeContinue();
    const memory = { shares: this.#shares, owner: work.owner, limit };
    const sent = await readBody(request, memory);
    if (typeof sent === 'string') {
      await this.#refuseUnread(work, admitted, sent);
    } else if (encoding === 'gzip') {
      await this.#handleCompressed(work, sent, admitted, memory);
    } else {
      await this.#handle(work, sent, admitted);
    }
  }

  /**
   * Decompresses a body and handles it. The key is charged one call before the body is decompressed. The charge is refunded if the body is valid,
   * because its calls are then charged. The charge is also refunded if there is no room to decompress the body.
   */
  async #handleCompressed(
    work: HttpRequest,
    sent: Uint8Array,
    session: Session,
    memory: BodyMemory,
  ): Promise<void> {
    const denial = await this.#gateway.chargeUnread(session);
    if (denial !== undefined) {
      this.#refuse(work, denial);
      return;
    }
    const body = await decompressBody(sent, memory, work.request.socket);
    if (typeof body !== 'string' || body === 'arriving' || body === 'compressing')
      this.#gateway.returnUnread(session);
    if (typeof body !== 'string') await this.#handle(work, body, session);
    else if (body !== 'gone') this.#refuse(work, this.#gateway.refuse(REFUSED_BODIES[body], session));
  }

  /** Refuses a body that was not read completely. A body that is too large is charged as one call. */
  async #refuseUnread(
    work: HttpRequest,
    session: Session,
    reason: Exclude<RequestBody, Uint8Array>,
  ): Promise<void> {
    if (reason === 'gone') return;
    const denial = reason === 'tooLarge' ? await this.#gateway.chargeUnread(session) : undefined;
    this.#refuse(work, denial ?? this.#gateway.refuse(REFUSED_BODIES[reason], session));
  }

  /** Builds the refusal with the id of the request, which is read from the body if it is small. @returns undefined if the client has disconnected */
  async #echoRefusal(
    { request, head, owner }: HttpRequest,
    refusal: Refusal,
  ): Promise<TextAnswer | undefined> {
    const encoding = parseContentEncoding(head.contentEncoding);
    const isLarge = Number(head.contentLength ?? 0) > ECHO_BYTES;
    if (refusal.error === undefined || isLarge || encoding === undefined) return refusal.refused;
    const memory = { shares: this.#shares, owner, limit: ECHO_BYTES };
    let body = await readBody(request, memory);
    if (encoding === 'gzip' && typeof body !== 'string') {
      body = await decompressBody(body, memory, request.socket);
    }
    if (body === 'gone') return undefined;
    return typeof body === 'string' ? refusal.refused : echoRefusal(refusal, body);
  }

  /** Passes a body to the gateway and sends the answer. */
  #handle(work: HttpRequest, body: Uint8Array, session: Session): PromiseOrValue<void> {
    const { request, response, connection, report, owner } = work;
    // The client may have disconnected while the body was decompressed.
    if (request.socket.destroyed) return undefined;
    if (report !== undefined) report.requestBytes = body.length;
    const now = performance.now();
    const scope = new RequestScope(now + this.#limits.requestTimeout, undefined, now);
    scope.trace = report?.span;
    response.once('close', () => scope.noteSent(response.writableFinished));
    connection.begin(scope);
    const served = this.#shares.serveBody(owner, body.length, () =>
      SCHEDULER.serve(session.principal.id, now, () => this.#gateway.handle(body, session, scope, report)),
    );
    const answered = typeof served === 'string' ? this.#gateway.refuse(served, session) : served;
    return continueWith(answered, (answer) => {
      const headers = describeCredits(this.#gateway, session);
      if (!isComplete(answer.body)) return this.#sendStream(work, answer.body, headers, scope);
      connection.end(scope);
      if (report !== undefined) report.responseBytes = measure(answer.body);
      this.#send(work, { ...answer, body: answer.body }, headers);
      return undefined;
    });
  }

  async #sendStream(
    work: HttpRequest,
    body: JsonStream,
    headers: readonly string[] | undefined,
    scope: RequestScope,
  ): Promise<void> {
    const { response, head, connection, report, owner } = work;
    const { sendBacklog } = connection;
    const takeLast = (): boolean => this.#takeLast(work);
    const way = { headers, signal: scope.signal, sendBacklog, owner, takeLast };
    const bytes = await this.#writer.sendStream(response, head, body, way);
    if (report !== undefined) report.responseBytes = bytes;
    connection.end(scope);
  }

  /** Sends an answer that is not a stream. */
  #send(work: HttpRequest, answer: WholeAnswer, headers?: readonly string[]): void {
    const { response, head, connection, owner, report } = work;
    if (report !== undefined) report.answeredAt = performance.now();
    if (answer.bound !== undefined) report?.noteRefused(answer.bound);
    // If the client has already sent the next request, the connection stays open, because otherwise the client could not know whether that request
    // was executed.
    const isKept = response.shouldKeepAlive && connection.unanswered === 1;
    const isLast = this.#takeLast(work) || (isKept && this.#writer.takeParting());
    connection.isOver ||= isLast;
    const { sendBacklog } = connection;
    this.#writer.send(response, head, answer, { headers, isLast, owner, sendBacklog });
  }

  #sendOpenRpc(work: HttpRequest): void {
    const { response, head, connection, owner, report } = work;
    const { unsent } = this.#shares;
    if (!unsent.isEmpty && unsent.refuses(owner)) {
      this.#send(work, this.#gateway.refuse('unsent.bytes'));
      return;
    }
    if (report !== undefined) report.answeredAt = performance.now();
    const way = { isLast: this.#takeLast(work), owner, sendBacklog: connection.sendBacklog };
    this.#writer.sendDocument(response, head, this.#gateway.openRpc, way);
  }

  /** Determines whether the connection closes after this answer, because the server is closing and no later request has arrived. */
  #takeLast({ connection, response }: HttpRequest): boolean {
    const isLast = this.#writer.isClosing && connection.newest?.response === response;
    connection.isOver ||= isLast;
    return isLast;
  }

  /** Answers every request except a POST to the service: the OpenRPC document, health, preflights, unknown paths and other verbs. */
  #answerWithoutCall(work: HttpRequest, route: RequestTarget): void {
    const { request, response, head } = work;
    const refusal = this.#findRefusal(request.method, head, route);
    if (refusal !== undefined) {
      this.#refuse(work, refusal.answer, refusal.headers);
      return;
    }
    this.#discard(request);
    switch (route.to) {
      case 'openRpc':
        this.#sendOpenRpc(work);
        break;
      case 'live':
      case 'ready':
        this.#send(work, this.#health[route.to], NOT_STORED);
        break;
      default:
        response
          .writeHead(
            204,
            this.#cors.preflightHeaders(head.origin, request.headers['access-control-request-headers']),
          )
          .end();
    }
  }

  #findRefusal(method: string | undefined, head: RequestHead, route: RequestTarget): HttpRefusal | undefined {
    if (head.hasTwoHosts) return { answer: this.#gateway.refuse('malformedHead') };
    if (route.to === 'nothing') return { answer: this.#gateway.refuse('notFound') };
    const answer = this.#gateway.refuse('methodNotAllowed');
    switch (route.to) {
      case 'openRpc':
      case 'live':
      case 'ready':
        return method === 'GET' || method === 'HEAD'
          ? undefined
          : { answer, headers: ['Allow', 'GET, HEAD'] };
      case 'webSocket':
        return { answer: this.#gateway.refuse('upgradeRequired'), headers: ['Upgrade', 'websocket'] };
      case 'http':
        return method === 'OPTIONS' ? undefined : { answer, headers: ['Allow', 'POST, OPTIONS'] };
    }
  }

  #refuse(work: HttpRequest, answer: TextAnswer, headers?: readonly string[]): void {
    const { request, response, connection } = work;
    // If the Node.js parser rejected the input, `onClientError` sends the refusal instead.
    if (connection.isBroken) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    this.#discard(request);
    this.#send(work, answer, headers);
  }

  #discard(request: IncomingMessage): void {
    discardBody(request, this.#limits.bodyBytes);
  }

  #reportWhenAnswered(report: RequestReport, request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => {
      report.verb = request.method;
      report.url = request.url;
      report.status = response.statusCode;
      report.isFinished = !request.socket.destroyed;
      this.#requests?.end(report, true);
    });
  }
}

/** Headers of health answers, which caches must not store. */
const NOT_STORED = ['Cache-Control', 'no-store'];

/** Refusals by error code of the Node.js server; any other code means a malformed head. */
const CLIENT_ERRORS: Readonly<Record<string, RefusalReason | TransportBound>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'body.time',
  HPE_HEADER_OVERFLOW: 'head.bytes',
};

const REFUSED_BODIES = {
  tooLarge: 'body.bytes',
  malformed: 'parseError',
  arriving: 'arriving.bytes',
  compressing: 'compression.jobs',
} as const;
