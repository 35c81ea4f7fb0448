import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderMetricsPage } from '../../scripts/docs/metric-docs.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { EventLoopDelay } from '../../src/observe/event-loop-delay.ts';
import { DURATION_BOUNDS, Histogram } from '../../src/observe/histogram.ts';
import { createLogger } from '../../src/observe/logger.ts';
import type { MetricState } from '../../src/observe/metric.ts';
import { METRICS } from '../../src/observe/metrics/metric-table.ts';
import {
  METRICS_CONTENT_TYPE,
  readMetrics,
  renderMetrics,
} from '../../src/observe/metrics/render-metrics.ts';
import { RequestLog } from '../../src/observe/request-log.ts';
import { RequestObserver } from '../../src/observe/request-observer.ts';
import { SubscriptionRecorder } from '../../src/observe/subscription-recorder.ts';
import { NO_PROMTOOL, runPromtool } from '../support/promtool.ts';

/** Creates a process state in which every metric has a value. */
function makeState(head: number): MetricState {
  const calls = new CallRecorder(new Set(['internal']));
  const caller = { id: 'k', name: 'k' };
  calls.onCall('main', 'eth_call', 'ok', 'upstream', 3, caller, 80, performance.now());
  calls.onCall('main', 'eth_call', 'ok', 'upstream', 70, caller, 80, performance.now());
  calls.onCall('main', 'unknown', 'methodNotFound', 'local', 0.01, caller, 0, performance.now());
  calls.onBatch(7);
  calls.onBrokenStream('main');
  calls.onLimited('rate', 'key.rate', 'main', 'k');
  const log = new RequestLog(createLogger('silent'), { sample: 0, slow: 1_000, failed: true }, new Set());
  const requests = new RequestObserver(log);
  requests.countStatus(200);
  const seconds = new Histogram(DURATION_BOUNDS);
  seconds.record(0.02);
  const upstream = {
    name: 'first "node"\\',
    state: 'lagging',
    head: head - 2,
    lag: 2,
    inFlight: 1,
    circuit: 'closed',
    hasVote: true,
    isCordoned: true,
    faults: new Map([['timeout', 4]]),
    seconds,
    creditsSpent: 260,
    spend: { credits: 520, from: 0, until: 1, budget: 1_000, per: 'month', remaining: 480, isUsedUp: false },
  } as const;
  const cache = {
    tier: 'memory',
    hits: 3,
    misses: 1,
    bytes: 100,
    entries: 2,
    evictions: 0,
    faults: 0,
  } as const;
  const loopDelay = new EventLoopDelay();
  loopDelay.close();
  const subscriptions = new SubscriptionRecorder();
  const heads = subscriptions.countsOf('main', 'newHeads');
  heads.open = 3;
  heads.noteSent(2, performance.now() - 20_000);
  return {
    version: '1.2.3',
    calls,
    requests,
    subscriptions,
    loopDelay,
    sources: {
      networks: [
        {
          name: 'main',
          hosts: ['main.localhost'],
          source: 'upstream',
          readFamily: () => undefined,
          readWaiting: () => 0,
          read: () => ({
            head: { number: head, hash: '0x01', timestamp: Date.now() - 12_000 },
            safe: head - 2,
            finalized: head - 32,
            unconfirmed: 3_000,
            agreement: { needed: 3, operators: 4, voices: 2, isDemanded: true, isMissing: true },
            verification: {
              isCalibrated: true,
              rows: [
                { subject: 'header', state: 'verified' },
                { subject: 'receipts', state: 'unverifiable', reason: 'a rule of its own', from: 20 },
                { subject: 'uncles', state: 'untested' },
              ],
              counts: { verified: 9, unproven: 2, refuted: 1 },
              trust: { proven: 8, agreed: 2, single: 1 },
              anchor: { state: 'contradicted', number: 30 },
            },
            provenState: { warmed: 3, rolled: 2, bytes: 1_000 },
            execution: {
              state: 'local',
              executed: 7,
              roundTrips: 5,
              left: { block: 1, unproven: 2 },
              samples: { same: 3, refuted: 1, different: 0, unknown: 2 },
            },
            isExpired: false,
            upstreams: [upstream],
          }),
        },
      ],
      readCaches: () => [cache],
      readEngine: () => ({
        places: [{ where: 'inline', executions: 2, gas: 42_000, seconds: 0.5 }],
        queued: 1,
        running: 2,
        threads: 1,
      }),
      isStoreUp: () => true,
      readServer: () => ({
        isDraining: false,
        connections: 3,
        webSockets: 1,
        inFlight: 2,
        arrivingBytes: 1_000,
        unsentBytes: 2_000,
        slowSubscribers: 1,
        shareRefusals: { webSockets: 4 },
      }),
    },
  };
}

function hasLine(text: string, line: string): void {
  assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
}

test('subscriptions are counted by network and kind', async () => {
  const text = await renderMetrics([await readMetrics(makeState(40)), await readMetrics(makeState(40))]);
  const labels = 'network="main",kind="newHeads"';
  hasLine(text, `portcullis_subscriptions_open{${labels}} 6`);
  hasLine(text, `portcullis_subscriptions_notifications_total{${labels}} 4`);
  hasLine(text, `portcullis_subscriptions_lag_seconds_bucket{le="10",${labels}} 0`);
  hasLine(text, `portcullis_subscriptions_lag_seconds_count{${labels}} 2`);
  hasLine(text, 'portcullis_subscriptions_slow_total 2');
});

test('credits are summed over processes, which share a budget', async () => {
  const text = await renderMetrics([await readMetrics(makeState(40)), await readMetrics(makeState(40))]);
  const labels = 'network="main",upstream="first \\"node\\"\\\\"';
  hasLine(text, `portcullis_upstream_credits_total{${labels}} 520`);
  hasLine(text, `portcullis_upstream_budget_remaining{${labels}} 480`);
  hasLine(text, `portcullis_upstream_budget_credits{${labels}} 1000`);
  hasLine(text, `portcullis_upstream_cordoned{${labels}} 1`);
});

test('metrics are rendered in the format of Prometheus', async () => {
  assert.match(METRICS_CONTENT_TYPE, /^text\/plain; version=0\.0\.4/);
  const text = await renderMetrics([await readMetrics(makeState(40))]);
  const labels = 'network="main",method="eth_call",outcome="ok",source="upstream"';
  hasLine(text, `portcullis_calls_total{${labels}} 2`);
  hasLine(text, `portcullis_call_duration_seconds_bucket{le="0.0025",${labels}} 0`);
  hasLine(text, `portcullis_call_duration_seconds_bucket{le="0.005",${labels}} 1`);
  hasLine(text, `portcullis_call_duration_seconds_bucket{le="0.1",${labels}} 2`);
  hasLine(text, `portcullis_call_duration_seconds_bucket{le="+Inf",${labels}} 2`);
  hasLine(text, `portcullis_call_duration_seconds_sum{${labels}} 0.07300000000000001`);
  hasLine(text, 'portcullis_upstream_lag_blocks{network="main",upstream="first \\"node\\"\\\\"} 2');
  hasLine(text, 'portcullis_network_safe_number{network="main"} 38');
  hasLine(text, 'portcullis_network_finalized_number{network="main"} 8');
  hasLine(text, 'portcullis_network_head_unconfirmed_seconds{network="main"} 3');
  hasLine(text, 'portcullis_network_agreement_needed{network="main"} 3');
  hasLine(text, 'portcullis_network_agreement_voices{network="main"} 2');
  hasLine(text, 'portcullis_network_agreement_missing{network="main"} 1');
  hasLine(text, 'portcullis_network_verifiable{network="main",subject="header"} 1');
  hasLine(text, 'portcullis_network_verifiable{network="main",subject="receipts"} 0');
  hasLine(text, 'portcullis_network_unverifiable_from{network="main",subject="receipts"} 20');
  hasLine(text, 'portcullis_network_verified_answers_total{network="main",outcome="refuted"} 1');
  hasLine(text, 'portcullis_shared_store_up 1');
  hasLine(text, 'portcullis_network_trust_total{network="main",trust="proven"} 8');
  hasLine(text, 'portcullis_network_anchor_number{network="main"} 30');
  hasLine(text, 'portcullis_network_anchor_contradicted{network="main"} 1');
  hasLine(text, 'portcullis_network_executes_here{network="main"} 1');
  hasLine(text, 'portcullis_network_executions_total{network="main",outcome="here"} 7');
  hasLine(text, 'portcullis_network_executions_total{network="main",outcome="unproven"} 2');
  hasLine(text, 'portcullis_network_state_trips_total{network="main"} 5');
  hasLine(text, 'portcullis_network_warmed_heads_total{network="main"} 3');
  hasLine(text, 'portcullis_network_rolled_heads_total{network="main"} 2');
  hasLine(text, 'portcullis_network_proven_state_bytes{network="main"} 1000');
  hasLine(text, 'portcullis_limited_total{network="main",reason="rate",bound="key.rate"} 1');
  hasLine(text, `portcullis_build_info{version="1.2.3",node="${process.version}"} 1`);
});

test('every metric has samples with the documented labels', async () => {
  for (const { name, values } of await readMetrics(makeState(40))) {
    const metric = METRICS.find((one) => one.name === name);
    assert.ok(metric !== undefined && values.length > 0, name);
    for (const { labels, metricName = name } of values) {
      const expected: readonly string[] = metricName.endsWith('_bucket')
        ? ['le', ...metric.labels]
        : metric.labels;
      assert.deepEqual(Object.keys(labels), [...expected], name);
    }
  }
});

test('metrics of several processes are merged: counters are summed, heads are not', async () => {
  const processes = await Promise.all([readMetrics(makeState(40)), readMetrics(makeState(42))]);
  // Serialised, as from another process.
  const text = await renderMetrics(JSON.parse(JSON.stringify(processes)));
  const labels = 'network="main",method="eth_call",outcome="ok",source="upstream"';
  hasLine(text, `portcullis_calls_total{${labels}} 4`);
  hasLine(text, `portcullis_call_duration_seconds_bucket{le="+Inf",${labels}} 4`);
  hasLine(text, 'portcullis_network_head_number{network="main"} 42');
  hasLine(text, 'portcullis_http_connections 6');
  hasLine(text, 'portcullis_processes 2');
  hasLine(text, `portcullis_build_info{version="1.2.3",node="${process.version}"} 1`);
});

test('metric names follow the conventions of Prometheus', () => {
  for (const { name, type } of METRICS) {
    assert.match(name, /^portcullis_[a-z]+(_[a-z]+)*$/);
    assert.equal(type === 'counter', name.endsWith('_total'), name);
  }
  assert.equal(new Set(METRICS.map(({ name }) => name)).size, METRICS.length);
});

test('docs/metrics.md matches the table of metrics', () => {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  assert.equal(page, renderMetricsPage(), 'run npm run docs');
});

test('promtool reports no problems', async (t) => {
  const verdict = runPromtool(['check', 'metrics'], await renderMetrics([await readMetrics(makeState(40))]));
  if (verdict === undefined) t.skip(NO_PROMTOOL);
  else assert.deepEqual(verdict, { isFine: true, text: '' });
});
