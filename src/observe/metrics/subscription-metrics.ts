import { listBuckets, type Metric, type MetricState, type Sample } from '../metric.ts';
import type { SubscriptionCounts } from '../subscription-recorder.ts';

const LABELS: readonly string[] = ['network', 'kind'];

function* readCounts(
  { subscriptions }: MetricState,
  read: (counts: SubscriptionCounts) => number,
): Generator<Sample> {
  for (const counts of subscriptions.list()) {
    const { network, kind } = counts;
    yield { labels: { network, kind }, value: read(counts) };
  }
}

export const SUBSCRIPTION_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_subscriptions_open',
    type: 'gauge',
    help: 'Subscriptions that are open.',
    labels: LABELS,
    merge: 'sum',
    read: (state) => readCounts(state, ({ open }) => open),
  },
  {
    name: 'portcullis_subscriptions_notifications_total',
    type: 'counter',
    help: 'Notifications that were sent.',
    labels: LABELS,
    merge: 'sum',
    read: (state) => readCounts(state, ({ sent }) => sent),
  },
  {
    name: 'portcullis_subscriptions_lag_seconds',
    type: 'histogram',
    help: 'Time from a new head to the notification of a subscription. Blocks of the past are not counted.',
    labels: LABELS,
    merge: 'sum',
    *read({ subscriptions }) {
      for (const { network, kind, lag } of subscriptions.list())
        yield* listBuckets('portcullis_subscriptions_lag_seconds', { network, kind }, lag);
    },
  },
  {
    name: 'portcullis_subscriptions_slow_total',
    type: 'counter',
    help: 'WebSockets with subscriptions that were closed because they were read too slowly.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().slowSubscribers }],
  },
];
