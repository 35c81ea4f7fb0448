import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/logger.ts';
import type { LogLevel, RequestLogOptions } from '../../src/observe/options.ts';
import { RequestLog } from '../../src/observe/request-log.ts';
import { RequestReport } from '../../src/observe/request-report.ts';

type Line = Readonly<Record<string, unknown>>;

function setUp(
  options: Partial<RequestLogOptions> = {},
  level: LogLevel = 'info',
  random: () => number = Math.random,
): { readonly log: RequestLog; readonly lines: Line[] } {
  const lines: Line[] = [];
  const logger = createLogger(level, { sink: { write: (line) => void lines.push(JSON.parse(line)) } });
  const all = { sample: 0, slow: 1_000, failed: true, ...options };
  return { log: new RequestLog(logger, all, new Set(['internal']), random), lines };
}

function makeReport(outcomes: readonly string[], status = 200): RequestReport {
  const report = new RequestReport('http', '192.0.2.1', 0, undefined);
  report.network = 'main';
  report.caller = { id: 'id', name: 'name' };
  report.verb = 'POST';
  report.url = '/v3/00112233445566778899aabbccddeeff?token=secret';
  report.status = status;
  for (const outcome of outcomes) report.note('eth_call', outcome, 'upstream');
  return report;
}

test('requests that failed in the service are logged, and those with client errors are not', () => {
  const { log, lines } = setUp();
  log.onEnd(makeReport(['ok']), 1);
  log.onEnd(makeReport(['executionReverted', 'invalidParams']), 1);
  log.onEnd(makeReport([], 404), 1);
  assert.equal(lines.length, 0);
  log.onEnd(makeReport(['ok', 'internal']), 1);
  log.onEnd(makeReport([], 503), 1);
  log.onEnd(makeReport([], 429), 1);
  assert.deepEqual(
    lines.map(({ msg, level, outcomes, status }) => [msg, level, outcomes, status]),
    [
      ['request failed', 40, { ok: 1, internal: 1 }, 200],
      ['request failed', 40, undefined, 503],
      ['request failed', 40, undefined, 429],
    ],
  );
});

test('slow requests are logged', () => {
  const { log, lines } = setUp({ slow: 50, failed: false });
  log.onEnd(makeReport(['internal']), 49);
  log.onEnd(makeReport(['ok']), 50);
  assert.deepEqual(
    lines.map(({ msg, ms, method, outcome, source, url, key, address }) => ({
      msg,
      ms,
      method,
      outcome,
      source,
      url,
      key,
      address,
    })),
    [
      {
        msg: 'slow request',
        ms: 50,
        method: 'eth_call',
        outcome: 'ok',
        source: 'upstream',
        url: '/v3/***',
        key: { id: 'id', name: 'name' },
        address: '192.0.2.1',
      },
    ],
  );
});

test('other requests are logged by sampling, and all of them at level debug', () => {
  const draws = [0.05, 0.2, 0.099, 0.1];
  const sampled = setUp({ sample: 0.1 }, 'info', () => draws.shift() ?? 1);
  for (let i = 0; i < 4; i++) sampled.log.onEnd(makeReport(['ok']), 1);
  assert.equal(sampled.lines.length, 2);
  const all = setUp({}, 'debug');
  for (let i = 0; i < 4; i++) all.log.onEnd(makeReport(['ok']), 1);
  assert.deepEqual(
    all.lines.map(({ level }) => level),
    [20, 20, 20, 20],
  );
});

test('a body of many calls is logged in one line with their counts', () => {
  const { log, lines } = setUp({ sample: 1 });
  const report = new RequestReport('websocket', '192.0.2.1', 0, undefined);
  for (let i = 0; i < 1_000; i++) report.note(`m${i % 50}`, i % 2 === 0 ? 'ok' : 'internal', 'cache');
  log.onEnd(report, 1);
  const [line] = lines;
  assert.equal(line?.['calls'], 1_000);
  assert.deepEqual(line?.['sources'], { cache: 1_000 });
  assert.ok(JSON.stringify(line).length < 2_000);
});

test('refusals of one key are logged in a few lines per minute, unless every request is logged', () => {
  const bounded = setUp();
  const slow = setUp({ slow: 1 });
  const sampled = setUp({ sample: 1 });
  for (let i = 0; i < 1_000; i++) {
    bounded.log.onEnd(makeReport(['rateLimited'], 429), 1);
    slow.log.onEnd(makeReport(['ok']), 1);
    sampled.log.onEnd(makeReport(['rateLimited'], 429), 1);
  }
  assert.equal(bounded.lines.length, 6);
  assert.equal(slow.lines.length, 6);
  assert.equal(sampled.lines.length, 1_000);
});
