/** Each request and message has one log line, with the bytes sent and received, on every path through the server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { receiptsOf, resultOf, type SourcePlan, valueFrom } from '../gateway/scripted-source.ts';
import { waitUntil } from '../support/wait-until.ts';
import { PIECE_BYTES, post, receive, startStreaming } from './streaming-service.ts';
import { encodeHead, encodeRequest, exchange, HOST, KEY, PATH } from './support.ts';

const LARGE: SourcePlan = { pieces: 40, pieceBytes: PIECE_BYTES };
const BROKEN: SourcePlan = { ...LARGE, breakAt: 20 };
const ENDLESS: SourcePlan = { pieces: Number.POSITIVE_INFINITY, pieceBytes: PIECE_BYTES };
const CALL = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';
const ANSWER = '{"jsonrpc":"2.0","id":7,"result":"0x539"}';

type Line = {
  readonly msg: string;
  readonly transport: string;
  readonly verb?: string;
  readonly status?: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly finished: boolean;
  readonly method?: string;
};

type Stage = { readonly port: number; readonly readLines: (count: number) => Promise<Line[]> };

async function setUp(t: TestContext, plans: readonly SourcePlan[] = []): Promise<Stage> {
  const logLines: string[] = [];
  const { port } = await startStreaming(t, plans, { logLines });
  const read = (): Line[] =>
    logLines.map((line) => JSON.parse(line) as Line).filter(({ transport }) => transport !== undefined);
  return {
    port,
    async readLines(count) {
      await waitUntil(() => read().length >= count);
      // A duplicate line would arrive in this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(read().length, count);
      return read();
    },
  };
}

const describe = (line: Line): unknown[] => [
  line.transport,
  line.verb,
  line.status,
  line.method,
  line.requestBytes,
  line.responseBytes,
  line.finished,
];

async function openSocket(port: number): Promise<WebSocket> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { host: HOST } });
  ws.on('error', () => {});
  await once(ws, 'open');
  return ws;
}

test('fast-path and other requests are logged, answered and refused ones alike', async (t) => {
  const { port, readLines } = await setUp(t);
  await exchange(port, encodeRequest(CALL));
  await exchange(port, encodeRequest(gzipSync(CALL), { 'Content-Encoding': 'gzip' }));
  await exchange(port, encodeRequest(CALL, { 'Content-Type': 'text/html' }));
  await exchange(port, encodeHead('GET', PATH, { Host: HOST }));
  await exchange(port, encodeHead('GET', '/openrpc.json', { Host: HOST }));
  const lines = (await readLines(5)).map(describe);
  assert.deepEqual(lines.slice(0, 2), [
    ['http', 'POST', 200, 'eth_chainId', CALL.length, ANSWER.length, true],
    ['http', 'POST', 200, 'eth_chainId', CALL.length, ANSWER.length, true],
  ]);
  assert.deepEqual(
    lines.slice(2).map(([, verb, status]) => [verb, status]),
    [
      ['POST', 415],
      ['GET', 405],
      ['GET', 200],
    ],
  );
});

test('HTTP streams are logged: complete, compressed, broken and aborted', async (t) => {
  const { port, readLines } = await setUp(t, [LARGE, BROKEN, ENDLESS]);
  const bytes = Buffer.byteLength(resultOf(valueFrom(LARGE)));
  await receive(await post(t, port, receiptsOf(0)));
  await receive(await post(t, port, receiptsOf(0), { 'Accept-Encoding': 'gzip' }));
  await receive(await post(t, port, receiptsOf(1)));
  const client = connect(port, '127.0.0.1');
  client.write(encodeRequest(receiptsOf(2)));
  await once(client, 'data');
  client.destroy();
  const [whole, zipped, broken, provided] = await readLines(4);
  assert.equal(whole?.responseBytes, bytes);
  assert.equal(whole?.finished, true);
  assert.equal(zipped?.responseBytes, bytes);
  assert.ok((broken?.responseBytes ?? 0) > 0 && (broken?.responseBytes ?? 0) < bytes);
  assert.equal(broken?.finished, false);
  assert.equal(provided?.finished, false);
});

test('WebSocket messages are logged, and so are streams that do not complete', async (t) => {
  const { port, readLines } = await setUp(t, [LARGE, BROKEN, ENDLESS]);
  const first = await openSocket(port);
  first.send(CALL);
  first.send(receiptsOf(0));
  await readLines(2);
  first.send(receiptsOf(1));
  await once(first, 'close');
  const second = await openSocket(port);
  second.send(receiptsOf(2));
  second.send(receiptsOf(2));
  await waitUntil(
    () => (second as unknown as { _socket: { bytesRead: number } })._socket.bytesRead > PIECE_BYTES,
  );
  second.terminate();
  const lines = await readLines(5);
  assert.deepEqual(describe(lines[0] as Line), [
    'websocket',
    undefined,
    undefined,
    'eth_chainId',
    CALL.length,
    ANSWER.length,
    true,
  ]);
  assert.deepEqual(
    lines.map(({ finished, method }) => [finished, method]),
    [
      [true, 'eth_chainId'],
      [true, 'eth_getBlockReceipts'],
      [false, 'eth_getBlockReceipts'],
      [false, 'eth_getBlockReceipts'],
      [false, 'eth_getBlockReceipts'],
    ],
  );
  assert.equal(lines[1]?.responseBytes, Buffer.byteLength(resultOf(valueFrom(LARGE))));
});
