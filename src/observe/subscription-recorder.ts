import { Histogram } from './histogram.ts';
import type { SubscriptionStatus } from './status.ts';

/** From the notice of a new head to a notification; seconds. */
const LAG_BOUNDS: readonly number[] = [
  0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What is counted of the subscriptions of one kind on one network. */
export class SubscriptionCounts {
  readonly network: string;
  readonly kind: string;
  /** Open now. */
  open = 0;
  /** Notifications so far. */
  sent = 0;
  /** From the notice of what they are about, seconds. */
  readonly lag: Histogram = new Histogram(LAG_BOUNDS);
  /** Of the latest notification, milliseconds. */
  latestLag: number | undefined;

  constructor(network: string, kind: string) {
    this.network = network;
    this.kind = kind;
  }

  /** @param noticedAt when the event became known, where that is to be measured */
  noteSent(notifications: number, noticedAt: number | undefined): void {
    this.sent += notifications;
    if (noticedAt === undefined) return;
    this.latestLag = performance.now() - noticedAt;
    this.lag.record(this.latestLag / 1_000);
  }
}

/** Has the counts of each kind of subscription by network. */
export interface SubscriptionObserver {
  /** @param kind one that the service knows */
  countsOf(network: string, kind: string): SubscriptionCounts;
}

/** Everything that is counted of subscriptions, as it happens. */
export class SubscriptionRecorder implements SubscriptionObserver {
  readonly #counts = new Map<string, SubscriptionCounts>();

  countsOf(network: string, kind: string): SubscriptionCounts {
    const name = `${network} ${kind}`;
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      counts = new SubscriptionCounts(network, kind);
      this.#counts.set(name, counts);
    }
    return counts;
  }

  /** Of all kinds on a network. */
  summarize(network: string): SubscriptionStatus {
    const all = this.list().filter((counts) => counts.network === network);
    const lags = all.flatMap(({ latestLag }) => (latestLag === undefined ? [] : [latestLag]));
    return {
      open: all.reduce((total, { open }) => total + open, 0),
      sent: all.reduce((total, { sent }) => total + sent, 0),
      ...(lags.length > 0 && { lag: Math.max(...lags) }),
    };
  }

  list(): readonly SubscriptionCounts[] {
    return [...this.#counts.values()];
  }
}
