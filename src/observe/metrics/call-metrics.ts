import { LIMIT_REASONS } from '../call-recorder.ts';
import { listBuckets, type Metric } from '../metric.ts';

const CALL_LABELS: readonly string[] = ['network', 'method', 'outcome', 'source'];

export const CALL_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_calls_total',
    type: 'counter',
    help: 'Calls that have ended; items of batches and notifications one by one.',
    labels: CALL_LABELS,
    merge: 'sum',
    *read({ calls }) {
      for (const { network, method, outcome, source, seconds } of calls.table.list()) {
        yield { labels: { network, method, outcome, source }, value: seconds.count };
      }
    },
  },
  {
    name: 'portcullis_call_duration_seconds',
    type: 'histogram',
    help: 'How long calls took, a streamed answer to its first bytes.',
    labels: CALL_LABELS,
    merge: 'sum',
    *read({ calls }) {
      for (const { network, method, outcome, source, seconds } of calls.table.list()) {
        const labels = { network, method, outcome, source };
        yield* listBuckets('portcullis_call_duration_seconds', labels, seconds);
      }
    },
  },
  {
    name: 'portcullis_batch_items',
    type: 'histogram',
    help: 'Items of the batches that were read.',
    labels: [],
    merge: 'sum',
    read: ({ calls }) => listBuckets('portcullis_batch_items', {}, calls.batchItems),
  },
  {
    name: 'portcullis_broken_streams_total',
    type: 'counter',
    help: 'Streamed answers that broke off after their first bytes.',
    labels: ['network'],
    merge: 'sum',
    *read({ calls }) {
      for (const [network, value] of calls.brokenStreams) yield { labels: { network }, value };
    },
  },
  {
    name: 'portcullis_limited_total',
    type: 'counter',
    help: 'Refusals: rate (too fast), credits (none left), overload (no room), auth (no permission).',
    labels: ['network', 'reason'],
    merge: 'sum',
    *read({ calls }) {
      for (const [network, counts] of calls.limited) {
        for (const [at, value] of counts.entries()) {
          if (value > 0) yield { labels: { network, reason: LIMIT_REASONS[at] ?? '' }, value };
        }
      }
    },
  },
];
