import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { Backoff } from '../../util/backoff.ts';
import { ExpirySweep } from '../../util/expiry-sweep.ts';
import { Lru } from '../../util/lru.ts';
import { TokenBucket } from '../../util/token-bucket.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { BATCH_BYTES, findBatchBounds, findBounds, loosen } from './answer-bounds.ts';
import { readInSlots } from './answer-slots.ts';
import { encodeCall, encodeCallBatch } from './encode-call.ts';
import type { PassOn } from './frame-reader.ts';
import { type NodeMessage, readMessage, readSingleReply } from './message.ts';
import { MessageGate, type ScannedMessage } from './message-gate.ts';
import { NodeSocket, type SocketListener } from './node-socket.ts';
import { isOfOne, readNotification } from './notification.ts';
import { PendingCall, PendingCalls, type PendingParts } from './pending-call.ts';
import { readBatch, requireAll } from './read-batch.ts';
import { isAnonymousError, malformed } from './read-reply.ts';
import { refuseCall } from './refuse-call.ts';
import { type SendOnConnection, SubscriptionWatch } from './subscription-watch.ts';
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
/** Maximum size of a message, bytes; equal to the limit of geth's client. */
const MESSAGE_BYTES = 32 * 1024 * 1024;
/**
 * Time after `eth_unsubscribe` in which notifications of the subscription are not a fault, ms. `MAX_ENDED` limits the number of ended subscriptions
 * that are remembered, and `MAX_ENDED_MESSAGES` the number of notifications that still arrive for them.
 */
const ENDED_MS = 10_000;
const MAX_ENDED = 16;
const MAX_ENDED_MESSAGES = 20_000;
const FIRST_REST_MS = 2_000;
const MAX_REST_MS = 300_000;
/** Maximum number of answers in one list; this service sends no batch with more calls than this. */
const MAX_LIST = 10_000;
/** Method of a notification, which has a price like a call. */
const NOTIFICATION_CALL: Pick<NodeCall, 'method'> = { method: 'eth_subscription' };

/**
 * Creates a transport over one WebSocket, which is opened when it is first needed and then stays open. Calls wait for the first connection. If the
 * connection is lost later, calls are refused immediately until it is open again.
 */
export function createWebSocketTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  return new WebSocketTransport(endpoint, limits);
}

class WebSocketTransport implements Transport, SocketListener {
  readonly #endpoint: Endpoint;
  readonly #limits: TransportLimits;
  readonly #pending = new PendingCalls(new ExpirySweep());
  readonly #watches = new Set<SubscriptionWatch>();
  /** Ids of subscriptions that ended recently; the node may still send their notifications. */
  readonly #ended = new Lru<string, true>(MAX_ENDED, ENDED_MS);
  readonly #backoff = new Backoff({ firstMs: FIRST_BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
  readonly #endedMessages = new TokenBucket({ capacity: MAX_ENDED_MESSAGES, perSecond: 100 });
  /** Backoff after a node exceeds the bounds of the connection. The backoff grows each time, and valid answers do not reset it. */
  readonly #excesses = new Backoff({ firstMs: FIRST_REST_MS, maxMs: MAX_REST_MS });
  #gate: MessageGate;
  #socket: NodeSocket | undefined;
  #isUp = false;
  #isClosed = false;
  /** Fault that ended the connection or the last attempt; undefined before the first attempt and while the connection is up. */
  #fault: UpstreamFault | undefined;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #reconnectAt = 0;
  #lastId = 0;

  constructor(endpoint: Endpoint, limits: TransportLimits) {
    this.#endpoint = endpoint;
    this.#limits = { ...limits, answerBytes: Math.min(limits.answerBytes, MESSAGE_BYTES) };
    this.#gate = new MessageGate(this.#pending, limits.memory, this.#limits.answerBytes);
  }

  send(call: NodeCall, options: SendOptions): Promise<NodeReply> {
    return new Promise((resolve, reject) => this.#sendCall(call, options, resolve, reject));
  }

  async sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]> {
    if (calls.length === 0) return [];
    const firstId = this.#lastId + 1;
    const ids = calls.map(() => this.#takeId());
    const batch = findBatchBounds(calls, Math.min(this.#limits.answerBytes, BATCH_BYTES));
    const bounds = { ...loosen(batch.answers), bytes: batch.bytes };
    return new Promise((resolve, reject) => {
      const read = ({ bytes }: NodeMessage): PromiseOrValue<readonly NodeReply[]> => {
        // An error without an id was scanned with the loosest bounds of all waiting calls, so its length must be checked against the bound of this
        // batch.
        if (bytes.length > batch.bytes)
          throw new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
        const answers = readBatch(bytes.subarray(0), firstId, batch);
        return continueWith(readInSlots(bytes.length, answers), requireAll);
      };
      const text = encodeCallBatch(calls, firstId);
      const charge = (): void => this.#charge(calls);
      this.#begin({ ids, text, bounds, isBatch: true, charge, options, read, resolve, reject });
    });
  }

  watch(kind: SubscriptionKind, listener: AnnouncementListener): () => void {
    const ask: SendOnConnection = (call, onReply, onFault) => {
      const deadline = performance.now() + this.#limits.answerTimeout;
      this.#sendCall(call, { deadline }, onReply, onFault);
    };
    const watch = new SubscriptionWatch(kind, listener, ask, (id) => this.#ended.set(id, true));
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
    const fault = new UpstreamFault('unreachable', 'the connection to the node is being closed');
    for (const pending of this.#pending.list()) pending.fail(fault);
    await this.#socket?.close();
  }

  onBytes(chunk: Buffer, pass: PassOn): void {
    this.#gate.push(chunk, pass);
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
    this.#gate.close();
    if (this.#isClosed) return;
    if (fault.kind === 'excessive') this.#limits.onExcessive?.(fault);
    // If several calls wait, it is unknown which of them the large answer belongs to.
    const isUnclear = fault.kind === 'tooLarge' && this.#pending.size > 1;
    const lost = isUnclear ? new UpstreamFault('unreachable', 'the connection to the node was lost') : fault;
    for (const pending of this.#pending.list()) pending.lose(lost);
    for (const watch of this.#watches) watch.goDown();
    this.#pending.forgetLate();
    this.#ended.clear();
    const rest = fault.kind === 'excessive' ? this.#excesses.next() : 0;
    const wait = Math.max(this.#backoff.next(), fault.retryAfterMs ?? 0, rest);
    this.#reconnectAt = performance.now() + wait;
    this.#reconnectTimer = setTimeout(() => this.#connect(), wait).unref();
  }

  onMessage(first: Buffer): void {
    const taken = this.#gate.take();
    if (taken === undefined) return;
    try {
      this.#takeMessage(first, taken.message);
    } finally {
      taken.release();
    }
  }

  #takeMessage(first: Buffer, scanned: ScannedMessage): void {
    const message = readMessage(first, scanned, () => this.#pending.listBounds, MAX_LIST);
    if (message === undefined) {
      const broken = this.#pending.get(scanned.scanner?.id ?? '');
      if (broken === undefined) this.#gate.countUnsolicited(scanned.bytes);
      else broken.fail(malformed('the answer is not JSON'));
      return;
    }
    // The backoff is reset only by a valid message, so that it keeps growing for a node that accepts connections and drops them.
    this.#backoff.reset();
    if (!this.#complete(message) && !this.#announce(message)) this.#gate.countUnsolicited(scanned.bytes);
  }

  /** @returns whether the message answers a request */
  #complete(message: NodeMessage): boolean {
    for (const { id } of message.scanners) {
      const pending = id === undefined ? undefined : this.#pending.get(id);
      if (pending !== undefined) {
        pending.complete(message);
        return true;
      }
    }
    if (message.scanners.length === 1 && message.scanners.every(isAnonymousError)) {
      const only = this.#pending.getOnly();
      only?.complete(message);
      return only !== undefined;
    }
    return message.scanners.every(({ id }) => id !== undefined && this.#pending.takeLate(id));
  }

  /** @returns whether the message is a notification of a subscription; providers bill notifications */
  #announce(message: NodeMessage): boolean {
    const isNotification = this.#passOn(message);
    if (isNotification) this.#charge([NOTIFICATION_CALL]);
    return isNotification;
  }

  #passOn(message: NodeMessage): boolean {
    const watches = [...this.#watches];
    const ids = watches.flatMap(({ subscription }) => subscription ?? []);
    const notification = readNotification(message, ids);
    if (notification === undefined)
      return this.#ended.size > 0 && isOfOne(message, this.#ended.keys()) && this.#endedMessages.tryTake();
    for (const watch of watches) {
      watch.announce(notification.subscription, notification.result, message.bytes.length);
    }
    return true;
  }

  #sendCall(
    call: NodeCall,
    options: SendOptions,
    resolve: (reply: NodeReply) => void,
    reject: (fault: UpstreamFault) => void,
  ): void {
    const id = this.#takeId();
    const read = (message: NodeMessage): PromiseOrValue<NodeReply> =>
      readSingleReply(message, this.#limits.streamBytes);
    const bounds = findBounds(call.method, call.params);
    const text = encodeCall(call, id);
    const charge = (): void => this.#charge([call]);
    this.#begin({ ids: [id], text, bounds, isBatch: false, charge, options, read, resolve, reject });
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

  /** Returns the fault for new calls while the connection is down; undefined if it is up, or before the first attempt. */
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
    this.#gate = new MessageGate(this.#pending, this.#limits.memory, this.#limits.answerBytes);
    this.#socket = new NodeSocket(this.#endpoint, this.#limits, this);
  }

  #charge(calls: readonly Pick<NodeCall, 'method'>[]): void {
    const { meter } = this.#limits;
    if (meter !== undefined) for (const { method } of calls) meter.charge(meter.priceOf(method));
  }

  #takeId(): string {
    return String(++this.#lastId);
  }
}
