import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import {
  isComplete,
  type JsonResult,
  type JsonStream,
  passOn,
} from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Refusal, Session } from '../gateway/admission.ts';
import type { Answer } from '../gateway/answer.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { TransportBound } from '../gateway/refusals.ts';
import type { Visitor } from '../gateway/visitor.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import { type BoundName, describeBoundRefusal } from '../util/bounds.ts';
import { PassingMap } from '../util/passing-map.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { readFastPathFrames } from './fast-path-frames.ts';
import type { ListenerLimits } from './options.ts';
import { CountedPieces } from './piece-writer.ts';
import { watchRefusedMessages } from './refused-messages.ts';
import { measure } from './response-writer.ts';
import type { TransportShares } from './transport-shares.ts';
import { WebSocketArrival } from './websocket-arrival.ts';
import { WebSocketBacklog } from './websocket-backlog.ts';
import { CLOSE_CODES, WebSocketClosing } from './websocket-closing.ts';
import { WebSocketOutbox } from './websocket-outbox.ts';
import { WebSocketReports } from './websocket-reports.ts';
import { WebSocketShare } from './websocket-share.ts';
import { type MessageNotifier, WebSocketSubscriptions } from './websocket-subscriptions.ts';

/** HTTP statuses of permanent authorization failures, after which the connection is closed. */
const NO_ENTRY: ReadonlySet<number> = new Set([401, 403]);
/** Estimated processor time per asynchronous message after dispatch, ms. */
const MESSAGE_MS = 0.05;

export type WebSocketParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  /** Checks again whether the key is admitted; called for every message and for each recheck. */
  readonly admit: () => PromiseOrValue<Session | Refusal>;
  readonly gateway: Gateway;
  readonly limits: ListenerLimits;
  readonly shares: TransportShares;
  /** Owner of this connection in the shared bounds: the key. */
  readonly owner: string;
  /** Facts about the client at the upgrade. */
  readonly visitor: Visitor;
  readonly requests: RequestObserver | undefined;
};

/** Context of a message while it is answered. */
type Message = {
  readonly scope: RequestScope;
  readonly report: RequestReport | undefined;
  readonly notifier: MessageNotifier;
};

const takeBody = ({ body }: Answer): JsonResult => body;

/**
 * One WebSocket. Each message is one body for the gateway and gets one answer message. Answers are sent in the order in which they are ready. Binary
 * messages are read as UTF-8 JSON, like text messages; answers are always text.
 */
export class WebSocketConnection {
  readonly #parts: WebSocketParts;
  readonly #ws: WebSocket;
  readonly #limits: ListenerLimits;
  readonly #outbox: WebSocketOutbox;
  readonly #arrival: WebSocketArrival;
  readonly #pace: WebSocketShare;
  readonly #subscriptions: WebSocketSubscriptions;
  readonly #shares: TransportShares;
  readonly #owner: string;
  /** Scopes of messages that are being executed, or whose streamed answer is being sent. */
  readonly #scopes = new PassingMap<RequestScope, RequestScope>();
  readonly #reports: WebSocketReports;
  readonly #backlog: WebSocketBacklog;
  readonly #closer: WebSocketClosing;
  /** Set when reading has stopped because the client sends too much. */
  #isFlooding = false;
  #awaitsPong = false;
  #closing = false;
  /** Session of the last admitted message. */
  #session: Session | undefined;
  /** Set when no more answers are sent, because the connection is being closed. */
  #isEnded = false;

  constructor(parts: WebSocketParts) {
    this.#parts = parts;
    this.#ws = parts.ws;
    this.#limits = parts.limits;
    this.#shares = parts.shares;
    this.#owner = parts.owner;
    const { ws, socket, shares, owner } = parts;
    this.#reports = new WebSocketReports(parts.requests, parts.visitor);
    this.#closer = new WebSocketClosing({
      ws,
      shares,
      readSession: () => this.#session,
      abandon: () => this.#abandon(),
    });
    const sendBacklog = shares.unsent.watch(socket, (reason) => {
      const bound = reason === 'share' ? 'unsent.bytes' : 'send.rate';
      if (this.#subscriptions.size > 0) this.#endSlowSubscriber(bound, true);
      else if (reason === 'share') ws.terminate();
      else this.#closer.end(CLOSE_CODES.policyViolation, describeBoundRefusal(bound));
    });
    this.#outbox = new WebSocketOutbox({
      ws,
      socket,
      sendBacklog,
      owner,
      // A message that was sent in part cannot be completed; only closing the connection shows the failure to the client.
      onBroken: () => this.#closer.end(CLOSE_CODES.internalError, 'an answer broke off'),
      onNotified: () => this.#checkNotified(),
      onWritten: () => this.#advance(),
    });
    this.#subscriptions = new WebSocketSubscriptions({
      outbox: this.#outbox,
      limits: this.#limits,
      shares,
      owner,
      onOverflow: () => this.#endSlowSubscriber('webSocket.unsentBytes'),
      onFail: (reason) => this.#closer.end(CLOSE_CODES.serviceRestart, reason),
    });
    this.#arrival = new WebSocketArrival({
      ws,
      socket,
      shares,
      owner,
      limitMs: this.#limits.bodyTimeout,
      onOverflow: () => this.#stopReading(CLOSE_CODES.tryAgainLater, 'arriving.bytes'),
    });
    this.#pace = new WebSocketShare({
      ws,
      socket,
      owner,
      onChange: () => this.#adjustReading(),
      onFlood: () => this.#stopFlood('webSocket.controlFrames'),
    });
    this.#backlog = new WebSocketBacklog({
      owner,
      isAtBound: () => this.#isAtBound(),
      begin: (body) => this.#begin(body),
      onStep: () => this.#adjustReading(),
    });
    readFastPathFrames(ws, this.#limits.bodyBytes);
    ws.on('message', (data) => this.#receive(data as Buffer));
    ws.on('pong', () => {
      this.#awaitsPong = false;
    });
    watchRefusedMessages(ws, (code, bound) => this.#closer.endByBound(code, bound));
    // After a protocol error (1002, 1007), ws itself closes the connection with the matching code.
    ws.on('error', () => {});
    ws.on('close', () => this.#abandon());
    if (socket instanceof Socket) {
      // During a long write, Node.js emits `timeout` on this socket only if the write makes no progress, as it does for HTTP.
      socket.setTimeout(this.#limits.sendTimeout);
      socket.on('timeout', () => {
        if (ws.bufferedAmount === 0) return;
        // The close frame was already sent but not read, so the connection is terminated.
        if (this.#isEnded) ws.terminate();
        else if (this.#subscriptions.size > 0) this.#endSlowSubscriber('send.time');
        else this.#closer.terminateByBound('send.time');
      });
    }
  }

  /** Sends a ping. If the peer has not answered the last ping, or takes too long to send a message, closes the connection instead. */
  beat(): void {
    if (!this.#closing && this.#arrival.isLate(performance.now())) {
      this.#closer.endByBound(CLOSE_CODES.policyViolation, 'webSocket.messageTime');
      return;
    }
    // While reading is paused, the pong cannot arrive, so a missing pong is ignored.
    if (this.#awaitsPong && !this.#ws.isPaused) {
      if (!this.#isEnded) this.#closer.endByBound(CLOSE_CODES.policyViolation, 'webSocket.pong');
      return;
    }
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#awaitsPong = true;
    this.#ws.ping();
  }

  /**
   * Closes the connection if the key no longer gives access to the network, or cannot pay for notifications; called even if the client sends nothing.
   */
  async recheck(): Promise<void> {
    const admitted = await this.#parts.admit();
    if (this.#closing) return;
    if ('refused' in admitted && NO_ENTRY.has(admitted.refused.status)) this.#closer.lock();
    else if (!(await this.#complete()) && !this.#closing)
      this.#closer.endByBound(CLOSE_CODES.policyViolation, 'key.credits');
  }

  /**
   * Charges the key for the notifications since the last charge.
   * @returns whether the key has enough credits
   */
  #complete(): PromiseOrValue<boolean> {
    const owed = this.#subscriptions.takeOwed();
    if (owed === 0 || this.#session === undefined) return true;
    return this.#parts.gateway.chargeNotifications(this.#session, owed);
  }

  /**
   * Accepts no further messages, and drops waiting messages. Closes the connection once all running messages are answered: with 1012 if there are
   * subscriptions, otherwise with 1001.
   */
  beginClosing(): void {
    this.#closing = true;
    this.#backlog.clear();
    this.#closeWhenDone();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #receive(body: Buffer): void {
    if (this.#closing) return;
    if (this.#backlog.isFull) {
      this.#stopFlood('webSocket.messages');
      return;
    }
    if (this.#backlog.isEmpty && !this.#isAtBound() && SCHEDULER.hasTime(this.#owner)) this.#begin(body);
    else this.#backlog.add(body);
    this.#adjustReading();
  }

  #begin(body: Buffer): void {
    const now = performance.now();
    const scope = new RequestScope(now + this.#limits.requestTimeout, undefined, now);
    const report = this.#reports.begin(body.length, now);
    scope.trace = report?.span;
    const message = { scope, report, notifier: this.#subscriptions.accept() };
    let answer: PromiseOrValue<JsonResult>;
    try {
      answer = continueWith(this.#parts.admit(), (admitted) => this.#answer(body, admitted, message));
    } catch {
      this.#breakDown(message);
      return;
    }
    if (!(answer instanceof Promise)) this.#conclude(answer, message, false);
    else {
      SCHEDULER.spend(MESSAGE_MS);
      this.#enter(scope);
      answer.then(
        (completed) => this.#conclude(completed, message, true),
        () => this.#breakDown(message),
      );
    }
  }

  #answer(
    body: Buffer,
    admitted: Session | Refusal,
    { scope, report, notifier }: Message,
  ): PromiseOrValue<JsonResult> {
    if (!('refused' in admitted)) {
      this.#session = admitted;
      const answered = this.#shares.serveBody(this.#owner, body.length, () =>
        this.#parts.gateway.handle(body, admitted, scope, report, notifier),
      );
      return typeof answered === 'string'
        ? this.#refuse(answered, admitted, report)
        : continueWith(answered, takeBody);
    }
    if (!NO_ENTRY.has(admitted.refused.status)) return admitted.refused.body;
    this.#closer.lock();
    return '';
  }

  #refuse(bound: TransportBound, session: Session, report: RequestReport | undefined): string {
    report?.noteRefused(bound);
    return this.#parts.gateway.refuse(bound, session).body;
  }

  /** Counts a message as running until it is answered. */
  #enter(scope: RequestScope): void {
    if (this.#isEnded) scope.abort();
    else this.#scopes.set(scope, scope);
  }

  #conclude(answer: JsonResult, message: Message, wasWaitedFor: boolean): void {
    this.#finish(answer, message, wasWaitedFor);
    message.notifier.answered(answer);
  }

  #breakDown({ report }: Message): void {
    this.#reports.end(report, 0, false, true);
    this.#ws.terminate();
  }

  #finish(answer: JsonResult, { scope, report }: Message, wasWaitedFor: boolean): void {
    if (wasWaitedFor) this.#scopes.delete(scope);
    if (this.#isEnded) {
      if (!isComplete(answer)) answer.cancel();
      this.#reports.end(report, 0, false, wasWaitedFor);
      return;
    }
    if (isComplete(answer)) {
      const length = measure(answer);
      const onSent = scope.awaitsSending ? (isSent: boolean) => scope.noteSent(isSent) : undefined;
      if (answer !== '') this.#outbox.sendWhole(answer, length, onSent);
      this.#reports.end(report, length, true, wasWaitedFor);
    } else {
      this.#sendStream(scope, answer, report);
    }
    if (this.#outbox.bufferedBytes > this.#limits.webSocketBufferedBytes)
      this.#closer.endByBound(CLOSE_CODES.policyViolation, 'webSocket.unsentBytes');
    else this.#advance();
  }

  #sendStream(scope: RequestScope, answer: JsonStream, report: RequestReport | undefined): void {
    this.#enter(scope);
    const pieces = new CountedPieces(answer.pieces);
    const noteSent = this.#reports.trackStream(report, pieces);
    this.#outbox.sendStream(
      passOn(answer, pieces, () => answer.cancel()),
      () => {
        this.#scopes.delete(scope);
        scope.noteSent(true);
        noteSent();
        this.#advance();
      },
    );
  }

  /** Begins waiting messages, continues to read, resumes subscriptions, or closes. Must be called after an answer or a drained write. */
  #advance(): void {
    this.#backlog.advance();
    this.#adjustReading();
    this.#subscriptions.resume();
    if (this.#closing) this.#closeWhenDone();
  }

  #isAtBound(): boolean {
    return (
      this.#scopes.size >= this.#limits.webSocketInFlight ||
      this.#outbox.bufferedBytes > this.#limits.webSocketHighWaterBytes
    );
  }

  #adjustReading(): void {
    const isFull = !this.#closing && (!this.#backlog.isEmpty || this.#isAtBound());
    const shouldPause = isFull || this.#pace.isReserved || this.#isFlooding;
    if (shouldPause === this.#ws.isPaused) return;
    if (shouldPause) this.#ws.pause();
    else this.#ws.resume();
  }

  #closeWhenDone(): void {
    this.#adjustReading();
    if (this.#scopes.size > 0 || this.#outbox.isStreaming) return;
    const hasSubscribed = this.#subscriptions.size > 0;
    this.#subscriptions.close();
    this.#closer.shutDown(hasSubscribed);
  }

  /** Called after notifications were written; closes the connection if too many bytes are buffered. */
  #checkNotified(): void {
    if (this.#outbox.bufferedBytes > this.#limits.webSocketBufferedBytes)
      this.#endSlowSubscriber('webSocket.unsentBytes');
    else this.#advance();
  }

  #endSlowSubscriber(bound: BoundName, isCounted = false): void {
    if (!this.#isEnded) this.#closer.endSlowSubscriber(bound, isCounted);
  }

  /** Closes the connection and stops reading, because further messages would be parsed and then dropped. */
  #stopFlood(bound: BoundName): void {
    if (!this.#closing) this.#stopReading(CLOSE_CODES.policyViolation, bound);
  }

  /** Closes the connection and stops reading, because ws would buffer bytes of messages until the connection is closed. */
  #stopReading(code: number, bound: BoundName): void {
    if (this.#isFlooding) return;
    this.#isFlooding = true;
    this.#closer.endByBound(code, bound);
    this.#adjustReading();
  }

  #abandon(): void {
    this.#closing = true;
    this.#isEnded = true;
    this.#subscriptions.close();
    void this.#complete();
    this.#backlog.clear();
    this.#outbox.clear();
    for (const scope of this.#scopes.takeKeys()) scope.abort();
    this.#reports.giveUpStreams();
  }
}
