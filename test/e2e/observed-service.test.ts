/** A service with all observability enabled: its metrics, status and logs after a scenario. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import type { LogLevel } from '../../src/observe/options.ts';
import { RpcError, startNode } from '../support/served-node.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Mark in all data that must not leak: bodies, answers, addresses, headers. */
const MARK = 'dec0dedfacade';

type Stage = { readonly running: RunningService; readonly key: string; readonly send: Send };
type Send = (
  host: string,
  body: string,
  options?: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<{ status: number; text: string }>;

async function setUp(t: TestContext, log: object, level: LogLevel): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-observed-'));
  const store = new KeyBook(new LmdbKeyTable(folder));
  const { key } = await store.create('watched', {}, false);
  await store.close();
  const node = await startNode(t, {
    answers: {
      eth_call: ([call]) => {
        const { data } = call as { readonly data: string };
        if (data === '0xbad1') throw new RpcError(-32000, `node says ${MARK}`);
        if (data === '0xfd') throw new RpcError(3, 'execution reverted', `0x${MARK}0`);
        return `0x${MARK}0`;
      },
    },
  });
  const running = await startService(
    {
      dataDir: folder,
      networks: {
        devnet: { hosts: ['devnet.localhost'], builtin: 'devnet' },
        nodes: {
          hosts: ['nodes.localhost'],
          upstreams: [
            {
              name: 'first',
              url: `${node.url}/${MARK}?key=${MARK}`,
              headers: { 'x-api-key': MARK },
            },
          ],
        },
      },
      log,
    },
    level,
  );
  t.after(async () => {
    await running.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const send: Send = async (host, body, { path = `/v3/${key}`, headers = {} } = {}) => {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: running.port,
          path,
          method: 'POST',
          headers: {
            host,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  };
  return { running, key, send };
}

const call = (method: string, params: readonly unknown[], id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const notice = (method: string): object => ({ jsonrpc: '2.0', method, params: [] });

const ethCall = (data: string): object => call('eth_call', [{ to: `0x${'22'.repeat(20)}`, data }, 'latest']);

async function sendOverWebSocket(
  { running, key }: Stage,
  host: string,
  messages: readonly string[],
): Promise<void> {
  const ws = new WebSocket(`ws://127.0.0.1:${running.port}/ws/v3/${key}`, { headers: { host } });
  await new Promise((resolve, reject) => {
    ws.on('open', resolve);
    ws.on('error', reject);
  });
  let left = messages.length;
  await new Promise<void>((resolve) => {
    ws.on('message', () => {
      left--;
      if (left === 0) resolve();
    });
    for (const message of messages) ws.send(message);
  });
  const closed = new Promise((resolve) => ws.on('close', resolve));
  ws.close();
  await closed;
}

/** Reads the samples of a metric by their labels. */
function readSamples(text: string, name: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(name.length, at), Number(line.slice(at + 1))];
    }),
  );
}

const METRICS_LIMIT = 400;

test('every call is counted under bounded labels, whatever clients send', async (t) => {
  const stage = await setUp(t, { requests: { sample: 1 } }, 'info');
  const { send, running } = stage;
  await send('devnet.localhost', JSON.stringify(call('eth_chainId', [])));
  await send('devnet.localhost', JSON.stringify(call('eth_blockNumber', [])));
  await send('devnet.localhost', JSON.stringify([call('eth_chainId', []), notice('eth_chainId'), 7]));
  await send('nodes.localhost', JSON.stringify(ethCall('0x01')));
  await send('nodes.localhost', JSON.stringify(ethCall('0x01')));
  await send('nodes.localhost', JSON.stringify(ethCall('0xfd')));
  await send('nodes.localhost', JSON.stringify(call('eth_blockNumber', [])));
  await send('nodes.localhost', JSON.stringify(call('eth_call', ['nonsense'])));
  await send('devnet.localhost', '{"broken');
  for (let i = 0; i < 300; i++) {
    await send('devnet.localhost', JSON.stringify(call(`eth_${i}_${MARK}`, [])));
    await send(`host-${i}.${MARK}.example`, JSON.stringify(call('eth_chainId', [])));
  }
  await sendOverWebSocket(stage, 'devnet.localhost', [
    JSON.stringify(call('eth_chainId', [])),
    JSON.stringify([call('eth_chainId', []), call('net_version', [])]),
  ]);

  const text = await renderMetrics([await running.service.readMetrics()]);
  const calls = readSamples(text, 'portcullis_calls_total');
  const of = (network: string, method: string, outcome: string, source: string): number | undefined =>
    calls.get(`{network="${network}",method="${method}",outcome="${outcome}",source="${source}"}`);
  assert.equal(of('devnet', 'eth_chainId', 'ok', 'local'), 5);
  assert.equal(of('devnet', 'net_version', 'ok', 'local'), 1);
  assert.equal(of('devnet', 'eth_blockNumber', 'ok', 'embedded'), 1);
  assert.equal(of('devnet', 'unknown', 'invalidRequest', 'local'), 1);
  assert.equal(of('devnet', 'unknown', 'parseError', 'local'), 1);
  assert.equal(of('devnet', 'unknown', 'methodNotFound', 'local'), 300);
  assert.equal(of('nodes', 'eth_call', 'ok', 'upstream'), 1);
  assert.equal(of('nodes', 'eth_call', 'ok', 'cache'), 1);
  assert.equal(of('nodes', 'eth_call', 'executionReverted', 'upstream'), 1);
  assert.equal(of('nodes', 'eth_call', 'invalidParams', 'local'), 1);
  assert.equal(of('nodes', 'eth_blockNumber', 'ok', 'cache'), 1);
  assert.equal(calls.size, 11);
  assert.equal(readSamples(text, 'portcullis_call_duration_seconds_count').size, 11);

  const statuses = readSamples(text, 'portcullis_http_requests_total');
  assert.deepEqual(Object.fromEntries(statuses), {
    '{status="101"}': 1,
    '{status="200"}': 308,
    '{status="400"}': 1,
    '{status="404"}': 300,
  });
  assert.equal(readSamples(text, 'portcullis_websocket_messages_total').get(''), 2);
  assert.equal(readSamples(text, 'portcullis_batch_items_count').get(''), 2);
  assert.equal(readSamples(text, 'portcullis_batch_items_sum').get(''), 5);
  assert.equal(readSamples(text, 'portcullis_upstream_up').get('{network="nodes",upstream="first"}'), 1);
  assert.ok((readSamples(text, 'portcullis_network_head_number').get('{network="nodes"}') ?? 0) === 40);
  assert.ok(!text.includes(MARK));
  assert.ok(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length < METRICS_LIMIT);

  const status = mergeStatus([await running.service.readStatus()]);
  const uses = status.keys.map(({ name, calls: used, limited }) => ({ name, used, limited }));
  assert.deepEqual(uses, [{ name: 'watched', used: 314, limited: 0 }]);
  assert.ok(!JSON.stringify(status).includes(MARK));
  assert.deepEqual(
    status.networks.map(({ name, source, chainId, upstreams }) => [name, source, chainId, upstreams.length]),
    [
      ['devnet', 'embedded', '7337', 0],
      ['nodes', 'upstream', '1', 1],
    ],
  );
  assert.equal(status.networks[1]?.upstreams[0]?.state, 'up');
});

test('gas of executions on the embedded chain is measured', async (t) => {
  const { send, running } = await setUp(t, {}, 'error');
  const read = async (): Promise<Map<string, number>> =>
    readSamples(await renderMetrics([await running.service.readMetrics()]), 'portcullis_engine_gas_total');
  assert.equal((await read()).get('{where="inline"}'), 0);
  await send(
    'devnet.localhost',
    JSON.stringify(call('eth_call', [{ to: `0x${'33'.repeat(20)}` }, 'latest'])),
  );
  assert.equal((await read()).get('{where="inline"}'), 15_000);
});

for (const level of ['debug', 'info'] as const) {
  test(`logs at level ${level} contain no secrets, and one line per request`, async (t) => {
    const stage = await setUp(t, { requests: { sample: 1, slow: '1ms' } }, level);
    const { send, running, key } = stage;
    const headers = {
      authorization: `Bearer ${MARK}`,
      'user-agent': MARK,
      cookie: MARK,
      origin: `http://${MARK}.example`,
      traceparent: MARK,
    };
    const bodies = [
      JSON.stringify(ethCall(`0x${MARK}0`)),
      JSON.stringify(ethCall('0xbad1')),
      JSON.stringify(ethCall('0xfd')),
      JSON.stringify([ethCall(`0x${MARK}0`), call(MARK, [MARK], MARK), MARK]),
      JSON.stringify(call('eth_call', [{ to: MARK }])),
      JSON.stringify(call(MARK, [])),
      `{"jsonrpc": ${MARK}`,
    ];
    for (const body of bodies) {
      await send('nodes.localhost', body, { headers });
      await send('nodes.localhost', body, { headers, path: `/v3/${key}?token=${MARK}` });
      await send('nodes.localhost', body, { headers, path: `/v3/${MARK}` });
      await send('nodes.localhost', body, { headers, path: `/${MARK}${MARK}/${key}` });
      await send(`${MARK}.example`, body, { headers });
    }
    await sendOverWebSocket(stage, 'nodes.localhost', bodies);
    const text = running.errors.join('');
    assert.ok(
      !text.includes(MARK),
      text.split('\n').find((line) => line.includes(MARK)),
    );
    assert.ok(!text.includes(key));
    const lines = running.errors.map((line) => JSON.parse(line) as { transport?: string; key?: object });
    assert.equal(lines.filter(({ transport }) => transport === 'http').length, 5 * bodies.length);
    const messages = lines.filter(({ transport }) => transport === 'websocket');
    assert.equal(messages.length, bodies.length);
    assert.ok(messages.every((line) => JSON.stringify(line.key).includes('"name":"watched"')));
  });
}
