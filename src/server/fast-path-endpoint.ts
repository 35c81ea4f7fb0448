import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  isComplete,
  type JsonBytes,
  type JsonStream,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Refusal, Session } from '../gateway/admission.ts';
import type { Answer } from '../gateway/answer.ts';
import { echoRefusal } from '../gateway/echo-refusal.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Visitor } from '../gateway/visitor.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import { nameOwner } from '../util/owner.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Coding } from './codings/coding.ts';
import type { Connection } from './connection.ts';
import { describeCredits } from './credits-header.ts';
import type { FastPathHead } from './fast-path-request.ts';
import { writeFastPathResponse } from './fast-path-response.ts';
import { isJsonType } from './media-type.ts';
import type { ListenerLimits } from './options.ts';
import type { RequestHead } from './request-head.ts';
import { countBytes, findCoding, measure, type ResponseWriter } from './response-writer.ts';
import type { SendBacklog } from './send-backlog.ts';
import type { TransportShares } from './transport-shares.ts';
import type { VisitorReader } from './visitor.ts';

export type FastPathEndpointParts = {
  readonly gateway: Gateway;
  readonly limits: ListenerLimits;
  readonly log: Logger;
  readonly writer: ResponseWriter;
  readonly visitors: VisitorReader;
  readonly shares: TransportShares;
  readonly requests: RequestObserver | undefined;
};

/** A request with its parsed head and body. */
export type FastPathRequest = { readonly head: FastPathHead; readonly body: Uint8Array };

/** Context of a request while it is answered. */
type Work = {
  readonly visitor: Visitor;
  readonly unanswered: Connection;
  readonly scope: RequestScope;
  readonly report: RequestReport | undefined;
  /** Undefined until the request is admitted. */
  session: Session | undefined;
};

/** Answers JSON-RPC requests of the fast path; `HttpEndpoint` answers all other requests. */
export class FastPathEndpoint {
  readonly #gateway: Gateway;
  readonly #limits: ListenerLimits;
  readonly #log: Logger;
  readonly #requests: RequestObserver | undefined;
  readonly #writer: ResponseWriter;
  readonly #visitors: VisitorReader;
  readonly #shares: TransportShares;

  constructor({ gateway, limits, log, writer, visitors, shares, requests }: FastPathEndpointParts) {
    this.#gateway = gateway;
    this.#limits = limits;
    this.#log = log;
    this.#requests = requests;
    this.#writer = writer;
    this.#visitors = visitors;
    this.#shares = shares;
  }

  /** Answers a request, synchronously if nothing must be awaited. Never throws or rejects. */
  serve(request: FastPathRequest, socket: Socket, unanswered: Connection): PromiseOrValue<void> {
    const { head } = request;
    const startedAt = performance.now();
    const scope = new RequestScope(startedAt + this.#limits.requestTimeout, undefined, startedAt);
    unanswered.begin(scope);
    const visitor = this.#visitors.describe(head.fields, head.route, socket);
    const report = this.#requests?.begin('http', visitor, startedAt);
    scope.trace = report?.span;
    const work: Work = { visitor, unanswered, scope, report, session: undefined };
    unanswered.caller = work;
    let answered: PromiseOrValue<Answer>;
    try {
      const admitted = this.#gateway.admit(visitor);
      answered =
        admitted instanceof Promise
          ? admitted.then((known) => this.#answer(request, known, work))
          : this.#answer(request, admitted, work);
    } catch (error) {
      answered = this.#reportFault(error);
    }
    if (!(answered instanceof Promise)) return this.#conclude(answered, request, socket, work);
    return answered.then(
      (answer) => this.#conclude(answer, request, socket, work),
      (error: unknown) => this.#conclude(this.#reportFault(error), request, socket, work),
    );
  }

  #reportFault(error: unknown): Answer {
    this.#log.error({ err: error }, 'a request could not be served');
    return this.#gateway.refuse('internal');
  }

  #answer({ head, body }: FastPathRequest, admitted: Session | Refusal, work: Work): PromiseOrValue<Answer> {
    if ('refused' in admitted) return echoRefusal(admitted, body);
    if (!isJsonType(head.fields.contentType)) return this.#gateway.refuse('unsupportedMediaType');
    work.session = admitted;
    const { id } = admitted.principal;
    const answered = this.#shares.serveBody(nameOwner(work.visitor.address, id), body.length, () =>
      SCHEDULER.serve(id, work.scope.startedAt, () =>
        this.#gateway.handle(body, admitted, work.scope, work.report),
      ),
    );
    return typeof answered === 'string' ? this.#gateway.refuse(answered, admitted) : answered;
  }

  /** @returns number of body bytes sent, before compression */
  #send(answer: Answer, head: RequestHead, socket: Socket, work: Work): PromiseOrValue<number> {
    const { unanswered } = work;
    const { status, body } = answer;
    const headers = describeCredits(this.#gateway, work.session);
    if (!isComplete(body)) return this.#sendStream(body, headers, head, socket, work);
    unanswered.isOver = this.#isLast(unanswered);
    const length = measure(body);
    const coding = findCoding(body, head);
    const packed = coding && joinPacked(coding, body);
    if (coding !== undefined && packed === undefined) {
      const response = openResponse(socket);
      const sent = waitForEnd(response, socket);
      this.#writer.send(
        response,
        head,
        { ...answer, body },
        { headers, isLast: unanswered.isOver, ...describeFlow(work) },
      );
      return sent.then(() => length);
    }
    const fields = this.#writer.describe(body, head, answer);
    if (coding !== undefined) fields.push('Content-Encoding', coding.name);
    const isTaken = writeFastPathResponse(socket, {
      status,
      length: packed === undefined ? length : countBytes(packed),
      fields,
      changingField: headers,
      body: packed ?? (typeof body === 'string' ? body : [body.head, body.value.bytes, body.tail]),
      keepAliveSeconds: unanswered.isOver ? undefined : Math.floor(this.#limits.keepAliveTimeout / 1_000),
    });
    return isTaken ? length : waitUntilRead(socket, this.#limits.sendTimeout, work, length);
  }

  #sendStream(
    body: JsonStream,
    headers: readonly string[] | undefined,
    head: RequestHead,
    socket: Socket,
    work: Work,
  ): Promise<number> {
    const { unanswered, scope } = work;
    const response = openResponse(socket);
    const sent = waitForEnd(response, socket);
    const takeLast = (): boolean => {
      unanswered.isOver = this.#writer.isClosing && !unanswered.hasNext;
      return unanswered.isOver;
    };
    const way = { headers, signal: scope.signal, takeLast, ...describeFlow(work) };
    const written = this.#writer.sendStream(response, head, body, way);
    return sent.then(() => written);
  }

  /**
   * Whether this answer is the last of its connection. If the client has already sent the next request, the connection stays open. If the connection
   * closed, the client could not know whether its next request was executed.
   */
  #isLast({ hasNext }: Connection): boolean {
    return !hasNext && (this.#writer.isClosing || this.#writer.takeParting());
  }

  #conclude(answer: Answer, request: FastPathRequest, socket: Socket, work: Work): PromiseOrValue<void> {
    const { status, bound } = answer;
    if (bound !== undefined) work.report?.noteRefused(bound);
    const sent = this.#send(answer, request.head.fields, socket, work);
    // A separate method, so that the closure that waits for the client does not keep a large answer in memory.
    return sent instanceof Promise
      ? this.#endWhenSent(sent, status, request, socket, work)
      : this.#end(sent, status, request, socket, work, false);
  }

  #endWhenSent(
    sent: Promise<number>,
    status: number,
    request: FastPathRequest,
    socket: Socket,
    work: Work,
  ): Promise<void> {
    return sent.then((bytes) => this.#end(bytes, status, request, socket, work, true));
  }

  #end(
    bytes: number,
    status: number,
    request: FastPathRequest,
    socket: Socket,
    { unanswered, scope, report }: Work,
    wasWaitedFor: boolean,
  ): void {
    scope.noteSent(!socket.destroyed);
    unanswered.end(scope);
    unanswered.caller = undefined;
    if (report === undefined) return;
    fillIn(report, request, status, bytes, socket);
    this.#requests?.end(report, wasWaitedFor);
  }
}

/** Returns the compressed form of a body; undefined if the body is text, or if no compressed form of its value is cached. */
function joinPacked(coding: Coding, body: string | JsonBytes): readonly Uint8Array[] | undefined {
  if (typeof body === 'string') return undefined;
  const packed = body.value.findPacked(coding.name);
  return packed && coding.join(body, packed);
}

function describeFlow({ visitor, unanswered, session }: Work): { sendBacklog: SendBacklog; owner: string } {
  return { sendBacklog: unanswered.sendBacklog, owner: nameOwner(visitor.address, session?.principal.id) };
}

function fillIn(
  report: RequestReport,
  { head, body }: FastPathRequest,
  status: number,
  bytes: number,
  socket: Socket,
): void {
  report.verb = 'POST';
  report.url = head.target;
  report.status = status;
  report.requestBytes = body.length;
  report.responseBytes = bytes;
  report.isFinished = !socket.destroyed;
}

/**
 * Resolves when the socket has sent its buffered bytes or is closed. The socket is closed after `limitMs` without progress.
 * @returns `length`
 */
function waitUntilRead(socket: Socket, limitMs: number, work: Work, length: number): Promise<number> {
  const { sendBacklog, owner } = describeFlow(work);
  socket.setTimeout(limitMs);
  return new Promise((resolve) => {
    const complete = (): void => {
      socket.removeListener('drain', complete);
      socket.removeListener('close', complete);
      sendBacklog.update();
      resolve(length);
    };
    socket.on('drain', complete);
    socket.on('close', complete);
    sendBacklog.update(owner);
  });
}

/** Creates a Node.js response on a socket that the Node.js HTTP server does not manage, for streams and for bodies that must be compressed. */
function openResponse(socket: Socket): ServerResponse {
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  request.method = 'POST';
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  return response;
}

/** Resolves when the socket has accepted the whole response, or is closed. */
function waitForEnd(response: ServerResponse, socket: Socket): Promise<void> {
  const onDrain = (): void => {
    response.emit('drain');
  };
  socket.on('drain', onDrain);
  return new Promise((resolve) => {
    const complete = (): void => {
      socket.removeListener('drain', onDrain);
      socket.removeListener('close', complete);
      response.detachSocket(socket);
      resolve();
    };
    response.once('finish', complete);
    socket.once('close', complete);
  });
}
