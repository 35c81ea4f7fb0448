import { Backoff } from '../../util/backoff.ts';
import { ExpirySweep } from '../../util/expiry-sweep.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { encodeBatch, encodeCall } from './encode-call.ts';
import { type Message, readMessage, readSingleReply } from './message.ts';
import { NodeSocket, type SocketListener } from './node-socket.ts';
import { readNotification } from './notification.ts';
import { PendingCall, PendingCalls, type PendingParts } from './pending-call.ts';
import { readBatch, requireAll } from './read-batch.ts';
import { isAnonymousError, malformed } from './read-reply.ts';
import { refuseCall } from './refuse-call.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import type {
  AnnouncementListener,
  Endpoint,
  SendOptions,
  SubscriptionKind,
  Transport,
  TransportLimits,
} from './transport.ts';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 30_000;
/** Answers in one list; no batch of ours has as many calls. */
const MAX_LIST = 10_000;

/**
 * Reaches a node over one WebSocket, which is opened when it is first needed and then kept open. Calls wait for the
 * first connection; while a later one is down they are refused at once.
 */
export function createWebSocketTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  return new WebSocketTransport(endpoint, limits);
}

class WebSocketTransport implements Transport, SocketListener {
  readonly #endpoint: Endpoint;
  readonly #limits: TransportLimits;
  readonly #pending = new PendingCalls(new ExpirySweep());
  readonly #watches = new Set<SubscriptionWatch>();
  readonly #backoff = new Backoff({ firstMs: FIRST_BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
  #socket: NodeSocket | undefined;
  #isUp = false;
  #isClosed = false;
  /** Why the connection is down, from its end or a failed attempt to the next success. */
  #fault: UpstreamFault | undefined;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #reconnectAt = 0;
  #lastId = 0;

  constructor(endpoint: Endpoint, limits: TransportLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
  }

  send(call: NodeCall, options: SendOptions): Promise<NodeReply> {
    return new Promise((resolve, reject) => this.#sendCall(call, options, resolve, reject));
  }

  async sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]> {
    if (calls.length === 0) return [];
    const firstId = this.#lastId + 1;
    const ids = calls.map(() => this.#takeId());
    return new Promise((resolve, reject) => {
      const read = ({ bytes }: Message): readonly NodeReply[] =>
        requireAll(readBatch(bytes, firstId, ids.length));
      this.#begin({ ids, text: encodeBatch(calls, firstId), options, read, resolve, reject });
    });
  }

  watch(kind: SubscriptionKind, listener: AnnouncementListener): () => void {
    const watch = new SubscriptionWatch(kind, listener, (call, onReply, onFault) => {
      const deadline = performance.now() + this.#limits.answerTimeout;
      this.#sendCall(call, { deadline }, onReply, onFault);
    });
    this.#watches.add(watch);
    if (this.#isUp) watch.goUp();
    else this.#connectFirst();
    return () => {
      this.#watches.delete(watch);
      watch.stop();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnectTimer);
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
    this.#failAll(new UpstreamFault('unreachable', 'the connection to the node is being closed'));
    await this.#socket?.close();
  }

  onOpen(): void {
    this.#isUp = true;
    this.#fault = undefined;
    for (const pending of this.#pending.list()) {
      pending.beginWait(this.#limits.answerTimeout);
      this.#socket?.send(pending.text);
    }
    for (const watch of this.#watches) watch.goUp();
  }

  onDown(fault: UpstreamFault): void {
    this.#isUp = false;
    this.#socket = undefined;
    this.#fault = fault;
    if (this.#isClosed) return;
    // With several calls it is unknown which of them has the answer that was too large.
    const isUnclear = fault.kind === 'tooLarge' && this.#pending.size > 1;
    this.#failAll(isUnclear ? new UpstreamFault('unreachable', 'the connection to the node broke') : fault);
    for (const watch of this.#watches) watch.goDown();
    const wait = Math.max(this.#backoff.next(), fault.retryAfterMs ?? 0);
    this.#reconnectAt = performance.now() + wait;
    this.#reconnectTimer = setTimeout(() => this.#connect(), wait).unref();
  }

  onMessage(bytes: Buffer): void {
    const message = readMessage(bytes, MAX_LIST, (id) => {
      this.#pending.get(id)?.fail(malformed('the answer is not JSON'));
    });
    if (message === undefined) return;
    // Not before now: a node that accepts connections only to drop them gets longer and longer pauses.
    this.#backoff.reset();
    for (const { id } of message.scanners) {
      const pending = id === undefined ? undefined : this.#pending.get(id);
      if (pending !== undefined) {
        pending.settle(message);
        return;
      }
    }
    if (message.scanners.length === 1 && message.scanners.every(isAnonymousError)) {
      this.#pending.getOnly()?.settle(message);
      return;
    }
    const notification = readNotification(message);
    if (notification === undefined) return;
    for (const watch of this.#watches) watch.announce(notification.subscription, notification.result);
  }

  #sendCall(
    call: NodeCall,
    options: SendOptions,
    resolve: (reply: NodeReply) => void,
    reject: (fault: UpstreamFault) => void,
  ): void {
    const id = this.#takeId();
    const read = (message: Message): NodeReply => readSingleReply(message, this.#limits.streamBytes);
    this.#begin({ ids: [id], text: encodeCall(call, id), options, read, resolve, reject });
  }

  #begin<T>(parts: PendingParts<T>): void {
    const isFull = this.#pending.size >= this.#limits.inFlight;
    const refusal = refuseCall(parts.options, this.#isClosed, isFull) ?? this.#describeOutage();
    if (refusal !== undefined) {
      parts.reject(refusal);
      return;
    }
    const pending = new PendingCall(this.#pending, parts);
    this.#pending.add(pending);
    if (this.#isUp) {
      pending.beginWait(this.#limits.answerTimeout);
      this.#socket?.send(pending.text);
    } else {
      this.#connectFirst();
    }
  }

  /** Undefined while the connection is up or has not been tried. */
  #describeOutage(): UpstreamFault | undefined {
    if (this.#fault === undefined) return undefined;
    const { kind, message } = this.#fault;
    if (kind === 'rateLimited') {
      return new UpstreamFault(kind, message, Math.max(0, Math.ceil(this.#reconnectAt - performance.now())));
    }
    return new UpstreamFault(kind === 'tooLarge' ? 'unreachable' : kind, message);
  }

  #connectFirst(): void {
    if (this.#socket === undefined && this.#fault === undefined && !this.#isClosed) this.#connect();
  }

  #connect(): void {
    this.#socket = new NodeSocket(this.#endpoint, this.#limits, this);
  }

  #failAll(fault: UpstreamFault): void {
    for (const pending of this.#pending.list()) pending.fail(fault);
  }

  #takeId(): string {
    return String(++this.#lastId);
  }
}
