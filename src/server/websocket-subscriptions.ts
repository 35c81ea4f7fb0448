import { randomBytes } from 'node:crypto';
import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BeginSubscription, NotificationPort, Subscription } from '../rpc/notifier.ts';
import { encodeNotificationHead } from './notification-frames.ts';
import type { ListenerLimits } from './options.ts';
import type { TransportShares } from './transport-shares.ts';
import type { WebSocketOutbox } from './websocket-outbox.ts';

const ID_BYTES = 16;

export type WebSocketSubscriptionsParts = {
  readonly outbox: WebSocketOutbox;
  readonly limits: ListenerLimits;
  readonly shares: TransportShares;
  /** Owner of the memory that the subscriptions use: the key. */
  readonly owner: string;
  /** Called when buffered notifications exceed `webSocketBufferedBytes`. */
  readonly onOverflow: () => void;
  /** Called when a subscription cannot continue; the callee must close the connection. */
  readonly onFail: (reason: string) => void;
};

/** Subscriptions of one WebSocket. */
export class WebSocketSubscriptions {
  readonly #parts: WebSocketSubscriptionsParts;
  readonly #open = new Map<string, OpenSubscription>();
  #isClosed = false;
  /** Bytes of notifications that wait for the answer with the id of their subscription. */
  #reservedBytes = 0;
  #owedCredits = 0;
  /** Resolvers of `waitForRoom` for subscriptions that have more to send. */
  #waiting: (() => void)[] = [];

  constructor(parts: WebSocketSubscriptionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Creates the notifier for one message. */
  accept(): MessageNotifier {
    return new MessageNotifier(this);
  }

  /** @throws RpcError if there is no room for another subscription, or if the connection is closed */
  create(): OpenSubscription {
    const { limits, shares, owner } = this.#parts;
    if (this.#isClosed) throw new RpcError('cancelled');
    if (this.#open.size >= limits.webSocketSubscriptions)
      throw new RpcError('tooManySubscriptions', 'webSocket.subscriptions', limits.webSocketSubscriptions);
    if (!shares.subscriptions.tryTake(owner, 1)) throw new RpcError('tooManySubscriptions', 'subscriptions');
    const subscription = new OpenSubscription(this);
    this.#open.set(subscription.id, subscription);
    return subscription;
  }

  /** @returns whether the subscription existed */
  end(id: string): boolean {
    const subscription = this.#open.get(id);
    if (subscription === undefined) return false;
    this.#open.delete(id);
    this.#parts.shares.subscriptions.giveBack(this.#parts.owner, 1);
    subscription.stop();
    return true;
  }

  fail(reason: string): void {
    this.#parts.onFail(reason);
  }

  send(head: Buffer, results: readonly JsonText[]): void {
    for (const result of results) this.#parts.outbox.notify(head, result);
  }

  /**
   * Counts bytes of notifications that wait for their answer.
   * @returns a function that removes these bytes from the count
   */
  hold(bytes: number): () => void {
    const { outbox, limits, onOverflow } = this.#parts;
    const release = outbox.setAside(bytes);
    this.#reservedBytes += bytes;
    if (this.#reservedBytes > limits.webSocketBufferedBytes) onOverflow();
    return () => {
      this.#reservedBytes -= bytes;
      release();
    };
  }

  /** @returns a promise that a subscription must await before it sends more past blocks; undefined if there is room */
  waitForRoom(): Promise<void> | undefined {
    if (this.#hasRoom) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Resumes subscriptions that wait for room, if there is room. */
  resume(): void {
    if (this.#waiting.length === 0 || !this.#hasRoom) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }

  get #hasRoom(): boolean {
    const { outbox, limits } = this.#parts;
    return this.#isClosed || outbox.bufferedBytes + this.#reservedBytes <= limits.webSocketHighWaterBytes;
  }

  charge(credits: number): void {
    this.#owedCredits += credits;
  }

  /** Returns the credits for notifications that were not charged to the key yet, and resets them to 0. */
  takeOwed(): number {
    const owed = this.#owedCredits;
    this.#owedCredits = 0;
    return owed;
  }

  /** Ends all subscriptions, and prevents new ones. */
  close(): void {
    this.#isClosed = true;
    for (const id of this.#open.keys()) this.end(id);
    this.resume();
  }
}

/** Opens the subscriptions of one message, and buffers their notifications until the answer to the message is sent. */
export class MessageNotifier implements NotificationPort {
  readonly #all: WebSocketSubscriptions;
  /** Subscriptions opened by this message. */
  #opened: OpenSubscription[] | undefined;
  #isAnswered = false;

  constructor(all: WebSocketSubscriptions) {
    this.#all = all;
  }

  /**
   * Opens a subscription.
   * @throws RpcError (by rejection) if the message is already answered, if there is no room, or if the subscription ended while it was opened; errors
   * of `begin`
   */
  async open(_kind: string, begin: BeginSubscription): Promise<Subscription> {
    if (this.#isAnswered) throw new RpcError('cancelled');
    const subscription = this.#all.create();
    this.#opened ??= [];
    this.#opened.push(subscription);
    try {
      subscription.begun(await begin(subscription));
    } catch (error) {
      this.#all.end(subscription.id);
      throw error;
    }
    if (subscription.isEnded) throw new RpcError('cancelled');
    return subscription;
  }

  end(id: string): boolean {
    return this.#all.end(id);
  }

  charge(credits: number): void {
    this.#all.charge(credits);
  }

  /**
   * Must be called when the answer is in the outbox. A subscription begins to notify if the answer contains its id. A subscription whose id is not in
   * the answer ends, because no client knows the id.
   */
  answered(answer: JsonResult): void {
    this.#isAnswered = true;
    for (const subscription of this.#opened ?? []) {
      // The id is not searched in a streamed answer. A streamed answer belongs to a large batch, and contains the responses to all calls that were
      // executed.
      const isPresent =
        subscription.hasBegun && (typeof answer !== 'string' || answer.includes(subscription.id));
      if (isPresent) subscription.release();
      else this.#all.end(subscription.id);
    }
    this.#opened = undefined;
    this.#all.resume();
  }
}

type Reserved = { readonly results: readonly JsonText[]; readonly release: () => void };

class OpenSubscription implements Subscription {
  readonly id: string = `0x${randomBytes(ID_BYTES).toString('hex')}`;
  readonly #all: WebSocketSubscriptions;
  readonly #head: Buffer;
  /** Notifications that are buffered until the client has been sent the subscription's id; undefined afterwards. */
  #reserved: Reserved[] | undefined = [];
  #leave: (() => void) | undefined;
  isEnded = false;
  hasBegun = false;

  constructor(all: WebSocketSubscriptions) {
    this.#all = all;
    this.#head = encodeNotificationHead(this.id);
  }

  notify(results: readonly JsonText[]): void {
    if (this.isEnded) return;
    if (this.#reserved === undefined) {
      this.#all.send(this.#head, results);
      return;
    }
    let bytes = 0;
    for (const { length } of results) bytes += this.#head.length + length;
    const place = { results, release: this.#all.hold(bytes) };
    // The call of `hold` may have exceeded a bound and closed the connection.
    if (this.isEnded) place.release();
    else this.#reserved.push(place);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.isEnded ? undefined : this.#all.waitForRoom();
  }

  fail(reason: string): void {
    if (!this.isEnded) this.#all.fail(reason);
  }

  /** Completes the opening. @param leave function that detaches the subscription from its source; called now if the subscription has already ended */
  begun(leave: () => void): void {
    if (this.isEnded) leave();
    else this.#leave = leave;
    this.hasBegun = true;
  }

  /** Sends the buffered notifications; later notifications are sent immediately. */
  release(): void {
    const reserved = this.#reserved ?? [];
    this.#reserved = undefined;
    for (const { results, release } of reserved) {
      release();
      if (!this.isEnded) this.#all.send(this.#head, results);
    }
  }

  stop(): void {
    this.isEnded = true;
    for (const { release } of this.#reserved ?? []) release();
    this.#reserved = undefined;
    this.#leave?.();
    this.#leave = undefined;
  }
}
