/** Text from clients cannot become a log line, header, prototype or stack trace. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import { composeService, type Service } from '../../src/service/compose.ts';
import { exchange, type RawAnswer } from '../server/support.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { createRequest, readAnswer } from './requests.ts';

const folder = makeTemporaryFolder();
const lines: string[] = [];
let service: Service;
let port: number;

before(async () => {
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder.path,
    ...listBuiltinNetworks(),
    cors: { origins: ['https://app.example'] },
    log: { level: 'debug', requests: { sample: 1 } },
  });
  const config = parseConfig(text, { name: 'test', folder: folder.path, environment: {} });
  const log = createLogger('debug', { sink: { write: (line) => void lines.push(line) } });
  service = await composeService(config, log);
  ({ port } = await service.server.listen());
});
after(async () => {
  await service.close();
  folder.remove();
});

const post = (body: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  exchange(port, createRequest(body, headers));
const HEADER_NAMES = new Set([
  'access-control-expose-headers',
  'access-control-allow-origin',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'vary',
]);

test('line breaks and control characters from clients cannot forge headers, log lines or metrics', async () => {
  const evil =
    'x\r\nSet-Cookie: evil=1\r\n\r\n{"level":60,"msg":"forged"}\n# TYPE evil counter\nevil 1\u2028\u0000"} 1';
  const inHeader = 'https://a.example%0d%0aSet-Cookie:%20evil=1\u00e9';
  for (const method of [evil, `eth_call${evil}`, evil.repeat(50)]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: evil, method, params: [evil] });
    const answer = await post(body, { Origin: inHeader, 'User-Agent': inHeader, Traceparent: inHeader });
    for (const name of Object.keys(answer.headers)) assert.ok(HEADER_NAMES.has(name), name);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(JSON.parse(answer.body.toString('utf8')).id, evil);
  }
  for (const line of lines) {
    assert.equal(line.trim().split('\n').length, 1);
    assert.notEqual((JSON.parse(line) as { msg: string }).msg, 'forged');
  }
  const metrics = await renderMetrics([await service.readMetrics()]);
  for (const line of metrics.split('\n')) assert.doesNotMatch(line, /^evil|TYPE evil/);
});

test('a request head with a line break inside a value is refused', async () => {
  for (const value of ['a\rSet-Cookie: evil', 'a\nSet-Cookie: evil', 'a\r\n\tfolded', 'a\0b']) {
    const answer = await post('{}', { Origin: value });
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  }
});

test('members named __proto__, constructor and prototype change no other objects', async () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  const polluting = names.map(
    (name) => `"${name}":{"polluted":true,"to":"0x00","prototype":{"polluted":true}}`,
  );
  const object = `{${polluting.join(',')}}`;
  const params = [
    `[${object}]`,
    `[${object},"latest",${object}]`,
    object,
    `[{"to":null,${polluting.join(',')}},${object}]`,
  ];
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_getBlockReceipts', ...names]) {
    for (const param of params) {
      const one = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${param},${polluting.join(',')}}`;
      for (const body of [one, `[${one}]`]) {
        const answer: unknown = JSON.parse((await post(body)).body.toString('utf8'));
        const [first] = [answer].flat() as { id: number; error?: { code: number } }[];
        assert.ok(first !== undefined && first.error?.code !== -32603, body);
      }
    }
  }
  for (const holder of [Object.prototype, Array.prototype, Function.prototype]) {
    assert.equal('polluted' in holder, false);
  }
});

const nest = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const NESTED = [
  nest('[', ']', 2_000_000),
  '['.repeat(4_000_000),
  nest('{"a":', '}', 700_000).replace(':}', ':1}'),
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${nest('[', ']', 1_000_000)}}`,
  `{"jsonrpc":"2.0","id":${nest('[', ']', 1_000_000)},"method":"eth_call"}`,
  `[${nest('[', ']', 500_000)},${nest('[', ']', 500_000)}]`,
];

test('deeply nested brackets do not overflow the stack, over either transport', async () => {
  for (const body of NESTED) {
    const { error } = readAnswer(await post(body));
    assert.equal(error?.code, -32700);
  }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/demo`, {
    headers: { host: 'devnet.localhost' },
  });
  await once(socket, 'open');
  for (const body of NESTED) {
    socket.send(body);
    const [data] = await once(socket, 'message');
    assert.equal((JSON.parse(String(data)) as { error: { code: number } }).error.code, -32700);
  }
  socket.terminate();
});

test('numbers and strings of any length get a precise error', async () => {
  const digits = '9'.repeat(1_000_000);
  const cases: readonly (readonly [string, number])[] = [
    ...[digits, `-${digits}`, `1e${digits}`, `0.${digits}`].map((value) => [value, -32700] as const),
    [`"0x${digits}"`, -32602],
    [`"${'\\u0000'.repeat(99_999)}"`, -32602],
  ];
  for (const [value, code] of cases) {
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":[${value}]}`;
    const answer = await post(body);
    assert.equal(readAnswer(answer).error?.code, code);
    assert.ok(answer.body.length < 1_000, 'the answer repeats it');
  }
  const long = await post(`{"jsonrpc":"2.0","id":${digits},"method":"eth_chainId"}`);
  assert.ok(long.status < 500);
});
