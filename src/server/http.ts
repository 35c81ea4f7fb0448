import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Refusal, Session } from '../gateway/admission.ts';
import type { TextAnswer } from '../gateway/answer.ts';
import { ECHO_BYTES, echoRefusal } from '../gateway/echo-refusal.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RefusalReason } from '../gateway/refusals.ts';
import type { Visitor } from '../gateway/visitor.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import { continueWith, type Eventual } from '../primitives/eventual.ts';
import type { JsonStream } from '../primitives/json-result.ts';
import type { ByteBudget } from '../util/byte-budget.ts';
import { RequestScope } from '../util/request-scope.ts';
import type { ConnectionTable } from './connection.ts';
import type { CorsPolicy } from './cors.ts';
import type { Health } from './health.ts';
import { isJsonType, parseContentEncoding } from './media-type.ts';
import type { ServerOptions, TransportLimits } from './options.ts';
import { sendRawResponse } from './raw-response.ts';
import { decompressBody, discardBody, readBody } from './request-body.ts';
import { findRoute, type RequestHead, type Route, readRequestHead, splitTarget } from './request-head.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { VisitorReader } from './visitor.ts';

/** What the HTTP side works with. */
export type HttpEndpointParts = {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly connections: ConnectionTable;
  readonly cors: CorsPolicy;
  readonly writer: ResponseWriter;
  readonly health: Health;
  readonly visitors: VisitorReader;
  /** Memory for bodies that are still arriving. */
  readonly arriving: ByteBudget;
  readonly requests: RequestObserver | undefined;
};

/** What is known of a request beside its head. */
type HttpRequest = {
  readonly visitor: Visitor;
  readonly awaitsContinue: boolean;
  readonly report: RequestReport | undefined;
};

type HttpRefusal = { readonly answer: TextAnswer; readonly headers?: readonly string[] };

/** JSON-RPC over HTTP: checks a request from the outside in, reads its body, and hands it to the gateway. */
export class HttpEndpoint {
  readonly #gateway: Gateway;
  readonly #limits: TransportLimits;
  readonly #log: Logger;
  readonly #requests: RequestObserver | undefined;
  readonly #connections: ConnectionTable;
  readonly #cors: CorsPolicy;
  readonly #arriving: ByteBudget;
  readonly #writer: ResponseWriter;
  readonly #health: Health;
  readonly #visitors: VisitorReader;

  constructor(parts: HttpEndpointParts) {
    this.#gateway = parts.gateway;
    this.#limits = parts.options.limits;
    this.#log = parts.log;
    this.#requests = parts.requests;
    this.#connections = parts.connections;
    this.#cors = parts.cors;
    this.#arriving = parts.arriving;
    this.#writer = parts.writer;
    this.#health = parts.health;
    this.#visitors = parts.visitors;
  }

  /** Handles node's `request` and `checkContinue` events; the latter when the client waits for a go-ahead. */
  onRequest(request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void {
    const connection = this.#connections.of(request.socket);
    connection.unsent++;
    response.once('close', () => connection.unsent--);
    const head = readRequestHead(request.rawHeaders);
    const target = splitTarget(request.url as string);
    if (target.host !== undefined) head.host = target.host;
    const route = findRoute(target.path);
    const visitor = this.#visitors.describe(head, 'key' in route ? route.key : undefined, request.socket);
    const report = this.#requests?.begin('http', visitor, performance.now());
    if (report !== undefined) this.#reportWhenAnswered(report, request, response);
    if (route.to === 'http' && request.method === 'POST' && !head.hasTwoHosts) {
      this.#serve(request, response, head, { visitor, awaitsContinue, report }).catch((error: unknown) => {
        this.#log.error({ err: error }, 'a request could not be served');
        this.#refuse(request, response, head, this.#gateway.refuse('internal'));
      });
    } else {
      this.#answerWithoutCall(request, response, head, route);
    }
  }

  /** A request that node's parser gave up on: malformed, too slow, or with too large a head. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.of(socket);
    if (error.code === 'ECONNRESET' || connection.isDiscarding || connection.pending > 0) {
      // Nobody listens, or the client would take what is said now for the answer to another request.
      socket.destroy();
      return;
    }
    switch (error.code) {
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        this.#refuseRaw(socket, 'timeout');
        break;
      case 'HPE_HEADER_OVERFLOW':
        this.#refuseRaw(socket, 'headTooLarge');
        break;
      default:
        this.#refuseRaw(socket, 'malformedHead');
    }
  }

  #refuseRaw(socket: Duplex, reason: RefusalReason): void {
    const refusal = this.#gateway.refuse(reason);
    this.#requests?.countStatus(refusal.status);
    sendRawResponse(socket, refusal);
  }

  /** node's `timeout` event: nothing moved on the connection for as long as it may stay still. */
  onTimeout(socket: Socket): void {
    if (socket.writableLength > 0 || this.#connections.of(socket).pending === 0) socket.destroy();
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    { visitor, awaitsContinue, report }: HttpRequest,
  ): Promise<void> {
    const admission = this.#gateway.admit(visitor);
    const admitted = admission instanceof Promise ? await admission : admission;
    if ('refused' in admitted) {
      const answer = awaitsContinue ? admitted.refused : await this.#echoRefusal(request, head, admitted);
      if (answer !== undefined) this.#refuse(request, response, head, answer);
      return;
    }
    if (!isJsonType(head.contentType)) {
      this.#refuse(request, response, head, this.#gateway.refuse('unsupportedMediaType'));
      return;
    }
    const encoding = parseContentEncoding(head.contentEncoding);
    if (encoding === undefined) {
      const refusal = this.#gateway.refuse('unsupportedMediaType');
      this.#refuse(request, response, head, refusal, ['Accept-Encoding', 'gzip']);
      return;
    }
    if (head.contentLength !== undefined && Number(head.contentLength) > this.#limits.bodyBytes) {
      this.#refuse(request, response, head, this.#gateway.refuse('bodyTooLarge'));
      return;
    }
    if (awaitsContinue) response.writeContinue();
    let body = await readBody(request, this.#limits.bodyBytes, this.#arriving);
    if (encoding === 'gzip' && typeof body !== 'string') {
      body = await decompressBody(body, this.#limits.bodyBytes, this.#arriving);
    }
    if (typeof body !== 'string') {
      await this.#handle(request, response, head, body, admitted, report);
    } else if (body !== 'gone') {
      this.#refuse(request, response, head, this.#gateway.refuse(REFUSED_BODIES[body]));
    }
  }

  /** The answer with the request's id, for which a body is read that says it is small. @returns undefined when the client has left */
  async #echoRefusal(
    request: IncomingMessage,
    { contentLength, contentEncoding }: RequestHead,
    refusal: Refusal,
  ): Promise<TextAnswer | undefined> {
    const isSmall = contentLength !== undefined && Number(contentLength) <= ECHO_BYTES;
    if (refusal.error === undefined || !isSmall || contentEncoding !== undefined) return refusal.refused;
    const body = await readBody(request, ECHO_BYTES, this.#arriving);
    if (body === 'gone') return undefined;
    return typeof body === 'string' ? refusal.refused : echoRefusal(refusal, body);
  }

  /** Hands a body to the gateway and sends what it answers. */
  #handle(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    body: Uint8Array,
    session: Session,
    report: RequestReport | undefined,
  ): Eventual<void> {
    if (report !== undefined) report.requestBytes = body.length;
    const connection = this.#connections.of(request.socket);
    if (connection.pending >= this.#limits.pipelinedRequests) {
      this.#writer.send(response, head, this.#gateway.refuse('overloaded'));
      return undefined;
    }
    const now = performance.now();
    const scope = new RequestScope(now + this.#limits.requestTimeout, undefined, now);
    scope.trace = report?.span;
    connection.begin(scope);
    return continueWith(this.#gateway.handle(body, session, scope, report), (answer) => {
      if (typeof answer.body !== 'string') {
        return this.#sendStream(request, response, head, answer.body, scope, report);
      }
      connection.end(scope);
      if (report !== undefined) report.responseBytes = Buffer.byteLength(answer.body);
      // Whoever has sent the next request already would not know whether it was done.
      const isKept = response.shouldKeepAlive && connection.unsent === 1;
      const isLast = isKept && this.#writer.takeParting();
      this.#writer.send(response, head, { ...answer, body: answer.body }, { isLast });
      return undefined;
    });
  }

  async #sendStream(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    body: JsonStream,
    scope: RequestScope,
    report: RequestReport | undefined,
  ): Promise<void> {
    const connection = this.#connections.of(request.socket);
    const bytes = await this.#writer.sendStream(response, head, body, scope.signal);
    if (report !== undefined) report.responseBytes = bytes;
    connection.end(scope);
    // Its head promised to keep the connection open, and nothing on it would close it now.
    if (this.#writer.isClosing && connection.pending === 0) request.socket.destroySoon();
  }

  /** Everything but a POST to the service: the OpenRPC document, health, preflights, wrong paths and verbs. */
  #answerWithoutCall(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    route: Route,
  ): void {
    const refusal = this.#findRefusal(request.method, head, route);
    if (refusal !== undefined) {
      this.#refuse(request, response, head, refusal.answer, refusal.headers);
      return;
    }
    this.#discard(request);
    switch (route.to) {
      case 'openRpc':
        this.#writer.send(response, head, { status: 200, body: this.#gateway.openRpc });
        break;
      case 'live':
      case 'ready':
        this.#writer.send(response, head, this.#health[route.to], { headers: NOT_STORED });
        break;
      default:
        response.writeHead(204, this.#cors.preflightHeaders(head.origin)).end();
    }
  }

  #findRefusal(method: string | undefined, head: RequestHead, route: Route): HttpRefusal | undefined {
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

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    head: RequestHead,
    answer: TextAnswer,
    headers?: readonly string[],
  ): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    this.#discard(request);
    this.#writer.send(response, head, answer, { headers });
  }

  #discard(request: IncomingMessage): void {
    discardBody(request, this.#limits.bodyBytes, this.#connections.of(request.socket));
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

/** Health is of the moment. */
const NOT_STORED = ['Cache-Control', 'no-store'];

const REFUSED_BODIES = {
  tooLarge: 'bodyTooLarge',
  malformed: 'parseError',
  overloaded: 'overloaded',
} as const;
