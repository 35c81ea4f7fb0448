import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedLogger } from '../../src/observe/bounded-logger.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';

const MINUTE = 60_000;

function createBounded(perMinute: number): {
  readonly log: Logger;
  readonly read: () => Record<string, unknown>[];
  readonly wait: (ms: number) => void;
} {
  let now = 0;
  let from = 0;
  const recording = createRecordingLog();
  const log = new BoundedLogger(recording, perMinute, () => now);
  return {
    log,
    read() {
      const lines = recording.lines.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
      from = recording.lines.length;
      return lines;
    },
    wait: (ms) => {
      now += ms;
    },
  };
}

test('a failing node has a few lines per minute, independent of other nodes', () => {
  const { log, read, wait } = createBounded(30);
  const fail = (upstream: string, fault = 'unknown'): void =>
    log.warn({ network: 'main', upstream, fault, reason: 'what?' }, 'upstream returned no usable answer');
  for (let i = 0; i < 1_000; i++) fail('a');
  fail('a', 'wrong');
  fail('b');
  assert.deepEqual(
    read().map(({ upstream, fault, leftOut }) => [upstream, fault, leftOut]),
    [...Array(3).fill(['a', 'unknown', undefined]), ['a', 'wrong', undefined], ['b', 'unknown', undefined]],
  );
  wait(MINUTE);
  fail('a');
  assert.deepEqual(
    read().map(({ leftOut }) => leftOut),
    [997],
  );
});

test('keys, IPv4 addresses, IPv6 /64 networks and chain networks have separate bounds', () => {
  const { log, read } = createBounded(10);
  const owners = [
    { key: { id: 'a', name: 'same' }, address: '192.0.2.1' },
    { key: { id: 'b', name: 'same' }, address: '192.0.2.1' },
    { address: '192.0.2.1' },
    { address: '192.0.2.2' },
    { address: '2001:db8::1' },
    { address: '2001:db8:0:1::1' },
    { network: 'main', method: 'eth_call' },
    { network: 'test', method: 'eth_call' },
    {},
  ];
  for (let i = 0; i < 100; i++) {
    for (const owner of owners) log.warn(owner, 'slow request');
    log.warn({ address: `2001:db8::${i}` }, 'slow request');
    log.warn({ key: { id: 'a', name: `name ${i}` }, address: `192.0.2.${i}` }, 'slow request');
  }
  assert.equal(read().length, owners.length);
});

test('a thousand owners together get no more lines than the bound of the message', () => {
  const { log, read } = createBounded(60);
  for (let i = 0; i < 1_000; i++) log.error({ key: { id: `${i}` } }, 'request failed');
  assert.equal(read().length, 60);
});

test('debug lines and everyLine are not bounded', () => {
  const { log, read } = createBounded(1);
  for (let i = 0; i < 10; i++) log.debug({}, 'a detail');
  for (let i = 0; i < 10; i++) log.everyLine?.info({}, 'request');
  assert.equal(read().length, 20);
});

test('the logger of the service is bounded at every level from info on', () => {
  const lines: string[] = [];
  const log = createLogger('info', { sink: { write: (line) => void lines.push(line) }, perMinute: 20 });
  for (let i = 0; i < 100; i++) {
    log.info({ network: 'main' }, 'blocks left the chain');
    log.warn({ network: 'main' }, 'an answer broke off');
    log.error({ network: 'main' }, 'unexpected error');
    log.debug({}, 'not at this level');
  }
  assert.equal(lines.length, 6);
});
