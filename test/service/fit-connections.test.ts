import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { countReserve, fitConnections } from '../../src/service/fit-connections.ts';
import { readDescriptors } from '../../src/util/descriptors.ts';

function configure(upstreams: readonly number[]): Config {
  const rows = upstreams.map(
    (connections, i) => `      - { url: "http://127.0.0.1:${9_000 + i}", connections: ${connections} }\n`,
  );
  const text = `networks:\n  main:\n    hosts: [main.localhost]\n    upstreams:\n${rows.join('')}`;
  return parseConfig(text, { name: 'p.yaml', folder: '/etc', environment: {} });
}

function fit(config: Config, descriptors: { limit: number; open: number } | undefined): [number, string[]] {
  const lines: string[] = [];
  const log = createLogger('debug', { sink: { write: (line) => void lines.push(line) } });
  return [fitConnections(config, 2, log, descriptors), lines];
}

test('the configured number of connections is used if descriptors suffice or their limit is unknown', () => {
  const config = configure([64]);
  assert.deepEqual(fit(config, undefined), [4_096, []]);
  assert.deepEqual(fit(config, { limit: 20_000, open: 30 }), [4_096, []]);
});

test('connections are reduced to leave descriptors for threads, nodes and open files, with a log line', () => {
  const config = configure([64, 10]);
  const reserve = countReserve(config, 2);
  assert.ok(reserve > 64 + 10 + 2);
  assert.equal(countReserve(configure([64, 11]), 2), reserve + 1);
  const [connections, lines] = fit(config, { limit: 512, open: 30 });
  assert.equal(connections, 512 - 30 - reserve);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"level":40.*may open 512 files; raise that to \d+ \(ulimit -n/);
});

test('a minimum of connections is served even if no descriptors are left', () => {
  const [connections, lines] = fit(configure([1_000]), { limit: 256, open: 30 });
  assert.equal(connections, 16);
  assert.equal(lines.length, 1);
});

test('the descriptor limit of this process is read if the system reports it', {
  skip: process.platform !== 'linux',
}, () => {
  const descriptors = readDescriptors();
  // `readDescriptors` returns undefined where there is no limit.
  if (descriptors !== undefined) assert.ok(descriptors.open > 0 && descriptors.limit >= descriptors.open);
});
