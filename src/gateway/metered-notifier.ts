import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { SubscriptionCounts, SubscriptionObserver } from '../observe/subscription-recorder.ts';
import type { BeginSubscription, NotificationPort, Notifier, Subscription } from '../rpc/notifier.ts';
import type { CreditScale } from './credit-scale.ts';

/** Counts and charges the notifications of one connection's subscriptions on one network. */
export class MeteredNotifier implements Notifier {
  readonly #port: NotificationPort;
  readonly #network: string;
  readonly #scale: CreditScale;
  readonly #observer: SubscriptionObserver | undefined;

  constructor(
    port: NotificationPort,
    network: string,
    scale: CreditScale,
    observer: SubscriptionObserver | undefined,
  ) {
    this.#port = port;
    this.#network = network;
    this.#scale = scale;
    this.#observer = observer;
  }

  open(kind: string, begin: BeginSubscription): Promise<Subscription> {
    const counts = this.#observer?.countsOf(this.#network, kind);
    const credits = {
      event: this.#scale.weighNotification(kind),
      missedBlock: this.#scale.weighMissedBlock(kind),
    };
    return this.#port.open(kind, async (subscription) => {
      const leave = await begin(new MeteredSubscription(subscription, this.#port, credits, counts));
      if (counts !== undefined) counts.open++;
      return () => {
        if (counts !== undefined) counts.open--;
        leave();
      };
    });
  }

  end(id: string): boolean {
    return this.#port.end(id);
  }
}

/** Credits per event and per missed block for a kind of subscription. */
type Credits = { readonly event: number; readonly missedBlock: number };

class MeteredSubscription implements Subscription {
  readonly id: string;
  readonly #inner: Subscription;
  readonly #port: NotificationPort;
  readonly #credits: Credits;
  readonly #counts: SubscriptionCounts | undefined;

  constructor(
    inner: Subscription,
    port: NotificationPort,
    credits: Credits,
    counts: SubscriptionCounts | undefined,
  ) {
    this.id = inner.id;
    this.#inner = inner;
    this.#port = port;
    this.#credits = credits;
    this.#counts = counts;
  }

  notify(results: readonly JsonText[], noticedAt?: number): void {
    this.#port.charge(this.#credits.event);
    this.#counts?.noteSent(results.length, noticedAt);
    this.#inner.notify(results, noticedAt);
  }

  /** The source of the subscription calls this method once for each missed block, while it sends the blocks that the client missed. */
  waitForRoom(): Promise<void> | undefined {
    this.#port.charge(this.#credits.missedBlock);
    return this.#inner.waitForRoom();
  }

  fail(reason: string): void {
    this.#inner.fail(reason);
  }
}
