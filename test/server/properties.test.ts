import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { createRecordingLog, type RecordingLog } from '../gateway/recording-log.ts';
import { createScriptedRollup, playing, ScriptedChain } from '../gateway/scripted-network.ts';
import { openTo } from '../support/access.ts';
import { countRuns } from '../support/count-runs.ts';
import { encodeHead, encodeRequest, exchange, HOST, KEY, PATH, RawClient, startServer } from './support.ts';

const ALIVE = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
const ALIVE_ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x539"}';
const RUNS = { numRuns: countRuns(150) };

/** The real gateway over a scripted chain, behind real sockets. */
async function startService(t: TestContext): Promise<{ port: number; log: RecordingLog }> {
  const log = createRecordingLog();
  const network = createScriptedRollup(new ScriptedChain(), { callTimeoutMs: 20 });
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network }]),
    access: openTo((key) => (key === KEY ? { id: 'p', name: 'p' } : undefined)),
    clientVersion: 'Portcullis/1.2.3',
    log,
  });
  const { port } = await startServer(t, { gateway });
  return { port, log };
}

async function checkAlive(port: number, log: RecordingLog): Promise<void> {
  const answer = await exchange(port, encodeRequest(ALIVE));
  assert.equal(answer.body.toString(), ALIVE_ANSWER);
  assert.deepEqual(log.lines, []);
}

/** @throws AssertionError when the text is no response to a JSON-RPC body */
function checkAnswer(text: string): void {
  if (text === '') return;
  const value = JSON.parse(text) as { jsonrpc: string } | { jsonrpc: string }[];
  for (const response of Array.isArray(value) ? value : [value]) assert.equal(response.jsonrpc, '2.0');
}

const bytes = fc.uint8Array({ maxLength: 300 });

/** JSON that resembles a request closely enough to pass the envelope. */
const nearRequest = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, fc.jsonValue()),
    id: fc.jsonValue(),
    method: fc.oneof(
      fc.constantFrom('eth_call', 'eth_estimateGas', 'l2_estimateGas', 'rollup_getInfo'),
      fc.string(),
    ),
    params: fc.oneof(
      fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom('latest', '0x1', { to: playing(1) })), {
        maxLength: 5,
      }),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);
const json = fc
  .oneof(fc.jsonValue(), nearRequest, fc.array(nearRequest, { maxLength: 5 }))
  .map((value) => Buffer.from(JSON.stringify(value)));

/** A valid request with some bytes replaced, inserted or cut. */
const mangledRequest = fc
  .array(fc.tuple(fc.nat(400), fc.nat(3), fc.uint8Array({ minLength: 1, maxLength: 8 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((edits) => {
    let request: Buffer = encodeRequest(ALIVE);
    for (const [place, removed, inserted] of edits) {
      const at = place % request.length;
      request = Buffer.concat([request.subarray(0, at), inserted, request.subarray(at + removed)]);
    }
    return request;
  });

test('HTTP: any bytes on a connection end it or are answered, and the service survives', async (t) => {
  const { port, log } = await startService(t);
  const anyBytes = fc.oneof(bytes.map(Buffer.from), mangledRequest);
  await fc.assert(
    fc.asyncProperty(anyBytes, async (sent) => {
      const client = new RawClient(port);
      client.socket.end(sent);
      const received = await client.readToEnd();
      assert.ok(received === '' || received.startsWith('HTTP/1.1 '), received);
    }),
    RUNS,
  );
  await checkAlive(port, log);
});

test('HTTP: any body is answered in JSON-RPC', async (t) => {
  const { port, log } = await startService(t);
  await fc.assert(
    fc.asyncProperty(fc.oneof(bytes, json), async (body) => {
      const answer = await exchange(port, encodeRequest(body));
      assert.ok(answer.status === 200 || answer.status === 400, String(answer.status));
      checkAnswer(answer.body.toString('utf8'));
    }),
    RUNS,
  );
  await checkAlive(port, log);
});

test('HTTP: any headers and path are answered', async (t) => {
  const { port, log } = await startService(t);
  const value = fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map((text) => text.trim());
  const headers = fc.dictionary(
    fc.constantFrom(
      'Host',
      'Content-Type',
      'Content-Encoding',
      'Accept-Encoding',
      'Origin',
      'Expect',
      'Upgrade',
    ),
    fc.oneof(value, fc.constantFrom(HOST, 'application/json', 'gzip', '*', 'websocket', 'h2c')),
  );
  const path = fc.oneof(
    fc.constantFrom(
      PATH,
      `/ws${PATH}`,
      `/test${PATH}`,
      `/test/ws${PATH}`,
      '/openrpc.json',
      'http://x/v3/y',
      '*',
    ),
    fc.webPath().map((text) => `/v3/${text}`),
    fc.webPath().map((text) => `${text}${PATH}`),
  );
  const method = fc.constantFrom('POST', 'GET', 'OPTIONS', 'DELETE', 'PATCH');
  await fc.assert(
    fc.asyncProperty(method, path, headers, async (verb, target, fields) => {
      const head = encodeHead(verb, target, { Connection: 'close', ...fields, 'Content-Length': '2' });
      const answer = await exchange(port, `${head}{}`);
      assert.ok(answer.status >= 100 && answer.status < 500);
      if (answer.status >= 400) checkAnswer(answer.body.toString('utf8'));
    }),
    RUNS,
  );
  await checkAlive(port, log);
});

test('WebSocket: any message is answered in JSON-RPC or closes with a code', async (t) => {
  const { port, log } = await startService(t);
  const message = fc.record({ body: fc.oneof(bytes, json), binary: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws${PATH}`, { headers: { Host: HOST } });
      await once(socket, 'open');
      socket.on('message', (data) => checkAnswer(String(data)));
      for (const { body, binary } of messages) socket.send(body, { binary });
      socket.send(ALIVE);
      const code = await new Promise<number>((resolve) => {
        socket.on('close', resolve);
        socket.on('message', (data) => {
          if (String(data) === ALIVE_ANSWER) socket.close(1000);
        });
      });
      // Text that is not UTF-8 is the only message that may remain unanswered.
      assert.ok(code === 1000 || code === 1007, String(code));
    }),
    RUNS,
  );
  await checkAlive(port, log);
});

test('WebSocket: any bytes instead of frames end only the connection', async (t) => {
  const { port, log } = await startService(t);
  const upgrade = encodeHead('GET', `/ws${PATH}`, {
    Host: HOST,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  });
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const client = new RawClient(port);
      assert.equal((await client.send(upgrade).read(true))?.status, 101);
      client.socket.end(sent);
      await client.readToEnd();
    }),
    RUNS,
  );
  await checkAlive(port, log);
});
