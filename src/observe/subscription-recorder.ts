import { Histogram } from './histogram.ts';
import type { SubscriptionStatus } from './status.ts';

/** Bucket bounds of the delay between learning of a new head and sending a notification, seconds. */
const LAG_BOUNDS: readonly number[] = [
  0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Counts of the subscriptions of one kind on one network. */
export class SubscriptionCounts {
  readonly network: string;
  readonly kind: string;
  /** Number of subscriptions that are open now. */
  open = 0;
  /** Number of notifications since the start. */
  sent = 0;
  /** Delay between learning of an event and sending its notification, seconds. */
  readonly lag: Histogram = new Histogram(LAG_BOUNDS);
  /** Delay of the latest notification, milliseconds. */
  latestLag: number | undefined;

  constructor(network: string, kind: string) {
    this.network = network;
    this.kind = kind;
  }

  /**
   * @param noticedAt time at which the event became known, on the clock of `performance.now()`; undefined where it
   * is not measured
   */
  noteSent(notifications: number, noticedAt: number | undefined): void {
    this.sent += notifications;
    if (noticedAt === undefined) return;
    this.latestLag = performance.now() - noticedAt;
    this.lag.record(this.latestLag / 1_000);
  }
}

/** Provides the counts by network and subscription kind. */
export interface SubscriptionObserver {
  /** @param kind a kind known to the service */
  countsOf(network: string, kind: string): SubscriptionCounts;
}

/** Counters of the subscriptions of a process. */
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

  /** Summarizes the subscriptions of all kinds on a network. */
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
