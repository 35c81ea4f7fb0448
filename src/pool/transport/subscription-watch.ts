import { TokenBucket } from '../../util/token-bucket.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { excessive } from './answer-shape.ts';
import type { AnnouncementListener, SubscriptionKind } from './transport.ts';

/** Retry delay if a node does not answer `eth_subscribe`, ms. A refused `eth_subscribe` is not repeated on the same connection. */
const RETRY_MS = 30_000;

/** Rate limit of announced heads of one node; the fastest chains have a hundred per second. Pending transactions are limited by `createHashRate`. */
const HEADS = { capacity: 512, perSecond: 128 };
/** Allowed average size of one `newHeads` message, bytes. A `newHeads` message of Ethereum has 2 KB; parsing takes 5 ms per megabyte. */
const HEAD_BYTES = 4_096;

/** Sends a call on the open connection; the outcome is reported before any later message is read. */
export type SendOnConnection = (
  call: NodeCall,
  onReply: (reply: NodeReply) => void,
  onFault: (fault: UpstreamFault) => void,
) => void;

/** One subscription to a node, which is made again on every new connection. */
export class SubscriptionWatch {
  readonly #kind: SubscriptionKind;
  readonly #listener: AnnouncementListener;
  readonly #ask: SendOnConnection;
  readonly #onEnd: (subscription: string) => void;
  readonly #heads: TokenBucket;
  readonly #bytes: TokenBucket;
  #subscription: string | undefined;
  /** Last state that the listener got: `onReady` (true) or `onLost` (false); undefined before the first call. */
  #isReady: boolean | undefined;
  #isUp = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param onEnd called with the id of a subscription when `eth_unsubscribe` is sent for it
   * @param now monotonic clock, ms
   */
  constructor(
    kind: SubscriptionKind,
    listener: AnnouncementListener,
    ask: SendOnConnection,
    onEnd: (subscription: string) => void,
    now: () => number = () => performance.now(),
  ) {
    const { capacity, perSecond } = HEADS;
    this.#heads = new TokenBucket({ ...HEADS, now });
    this.#bytes = new TokenBucket({
      capacity: capacity * HEAD_BYTES,
      perSecond: perSecond * HEAD_BYTES,
      now,
    });
    this.#kind = kind;
    this.#listener = listener;
    this.#ask = ask;
    this.#onEnd = onEnd;
  }

  /** Id of the subscription on the open connection, once the node has confirmed it. */
  get subscription(): string | undefined {
    return this.#subscription;
  }

  /** Handles the opening of the connection, and subscribes. */
  goUp(): void {
    this.#isUp = true;
    this.#subscribe();
  }

  /** Handles the end of the connection. */
  goDown(): void {
    this.#isUp = false;
    this.#subscription = undefined;
    clearTimeout(this.#timer);
    this.#report(false);
  }

  /**
   * Handles a notification; ignores it if it belongs to a different subscription.
   * @param bytes length of the message
   * @throws UpstreamFault if heads arrive more often, or are longer, than on any chain
   */
  announce(subscription: string, result: unknown, bytes: number): void {
    if (subscription !== this.#subscription) return;
    if (this.#kind === 'newHeads') this.#countHead(bytes);
    this.#listener.onResult(result);
  }

  #countHead(bytes: number): void {
    if (!this.#heads.tryTake()) throw excessive('announcements of heads');
    if (!this.#bytes.tryTake(bytes)) throw excessive('bytes of announced heads');
  }

  /** Ends the subscription; the listener receives nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (this.#isUp && this.#subscription !== undefined) this.#unsubscribe(this.#subscription);
    this.#subscription = undefined;
  }

  #subscribe(): void {
    this.#ask(
      { method: 'eth_subscribe', params: JSON.stringify([this.#kind]) },
      (reply) => this.#begin(readSubscription(reply)),
      () => {
        this.#report(false);
        if (this.#isUp && !this.#isStopped) {
          this.#timer = setTimeout(() => this.#subscribe(), RETRY_MS).unref();
        }
      },
    );
  }

  #begin(subscription: string | undefined): void {
    if (this.#isStopped) {
      if (subscription !== undefined) this.#unsubscribe(subscription);
      return;
    }
    this.#subscription = subscription;
    this.#report(subscription !== undefined);
  }

  #unsubscribe(subscription: string): void {
    const params = JSON.stringify([subscription]);
    this.#onEnd(subscription);
    // The outcome does not matter, because later notifications are dropped.
    this.#ask(
      { method: 'eth_unsubscribe', params },
      () => {},
      () => {},
    );
  }

  #report(isReady: boolean): void {
    if (this.#isStopped || this.#isReady === isReady) return;
    this.#isReady = isReady;
    if (isReady) this.#listener.onReady();
    else this.#listener.onLost();
  }
}

function readSubscription(reply: NodeReply): string | undefined {
  if (reply.kind !== 'result' || typeof reply.result !== 'string') return undefined;
  const id: unknown = JSON.parse(reply.result);
  return typeof id === 'string' ? id : undefined;
}
