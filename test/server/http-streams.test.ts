import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { receiptsOf, resultOf, type SourcePlan, valueFrom } from '../gateway/scripted-source.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  ENDLESS,
  MOST_BUFFERED_BYTES,
  PIECE_BYTES,
  post,
  receive,
  receivedFrom,
  startStreaming,
  untilHeldBack,
} from './streaming-service.ts';
import { encodeRequest, Gate, RawClient } from './support.ts';

const SMALL: SourcePlan = { pieces: 4, pieceBytes: 100 };
const HUGE: SourcePlan = { pieces: 800, pieceBytes: PIECE_BYTES };
const CHAIN_ID = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';
const CHAIN_ID_ANSWER = '{"jsonrpc":"2.0","id":7,"result":"0x539"}';

test('50 MB arrive byte for byte, uncompressed and compressed', async (t) => {
  const { port, chain } = await startStreaming(t, [HUGE]);
  const expected = receivedFrom(resultOf(valueFrom(HUGE), '1.0'));
  for (const encoding of ['identity', 'gzip']) {
    const response = await post(t, port, receiptsOf(0, '1.0'), { 'Accept-Encoding': encoding });
    assert.equal(response.statusCode, 200);
    assert.deepEqual(await receive(response), expected);
  }
  assert.deepEqual(
    chain.sources.map(({ taken }) => taken),
    [800, 800],
  );
});

test('the headers are those of any other answer, with a chunked body', async (t) => {
  const { port } = await startStreaming(t, [SMALL], { cors: { origins: ['https://good.example'] } });
  const response = await post(t, port, receiptsOf(0), {
    Origin: 'https://good.example',
    'Accept-Encoding': 'gzip',
  });
  assert.deepEqual(await receive(response), receivedFrom(resultOf(valueFrom(SMALL))));
  const { headers } = response;
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['transfer-encoding'], 'chunked');
  assert.equal(headers['content-encoding'], 'gzip');
  assert.equal(headers['content-length'], undefined);
  assert.equal(headers['vary'], 'Accept-Encoding, Origin');
  assert.equal(headers['access-control-allow-origin'], 'https://good.example');
});

for (const encoding of ['identity', 'gzip']) {
  test(`bytes are sent as soon as they are available: ${encoding}`, async (t) => {
    const gate = new Gate();
    const pause = (n: number): Promise<void> => (n === 2 ? gate.opened : Promise.resolve());
    const plan = { ...SMALL, pause };
    const { port } = await startStreaming(t, [plan]);
    const response = await post(t, port, receiptsOf(0), { 'Accept-Encoding': encoding });
    await once(response, 'readable');
    gate.open();
    assert.deepEqual(await receive(response), receivedFrom(resultOf(valueFrom(plan))));
  });
}

test('a batch of large results is one JSON text', async (t) => {
  const large: SourcePlan = { pieces: 40, pieceBytes: PIECE_BYTES };
  const { port } = await startStreaming(t, [large, SMALL]);
  const response = await post(t, port, `[${receiptsOf(0)},${CHAIN_ID},${receiptsOf(1, '2')}]`);
  const expected = `[${resultOf(valueFrom(large))},${CHAIN_ID_ANSWER},${resultOf(valueFrom(SMALL), '2')}]`;
  assert.deepEqual(await receive(response), receivedFrom(expected));
});

test('a source that fails before its first bytes is an error, and the connection remains open', async (t) => {
  const { port } = await startStreaming(t, [{ ...SMALL, breakAt: 0 }]);
  const client = new RawClient(port);
  const answer = await client.send(encodeRequest(receiptsOf(0, '5'))).read();
  assert.equal(answer?.status, 200);
  assert.match(String(answer?.body), /^\{"jsonrpc":"2.0","id":5,"error":\{"code":-32603,.*hung up/);
  assert.equal((await client.send(encodeRequest(CHAIN_ID)).read())?.body.toString(), CHAIN_ID_ANSWER);
  client.close();
});

for (const breakAt of [1, 20, 40]) {
  for (const encoding of ['identity', 'gzip']) {
    test(`a source that fails at piece ${breakAt} of 40 leaves a truncated body: ${encoding}`, async (t) => {
      const plan: SourcePlan = { pieces: 40, pieceBytes: 10_000, breakAt };
      const { port, chain } = await startStreaming(t, [plan]);
      // The break may overtake the head; then there is no response at all.
      const response = await post(t, port, receiptsOf(0), { 'Accept-Encoding': encoding }).catch(
        () => undefined,
      );
      assert.notEqual(response && (await receive(response)).isComplete, true);
      assert.equal(chain.sources[0]?.isCancelled, true);
    });
  }
}

test('a client of HTTP/1.0 gets the bytes and the end of the connection', async (t) => {
  const { port } = await startStreaming(t, [SMALL, { ...SMALL, breakAt: 2 }]);
  const ask = (block: number): Promise<string> => {
    const request = encodeRequest(receiptsOf(block), { Connection: 'keep-alive' }).toString();
    return new RawClient(port).send(request.replace('HTTP/1.1', 'HTTP/1.0')).readToEnd();
  };
  const [head = '', body = ''] = (await ask(0)).split('\r\n\r\n');
  assert.doesNotMatch(head, /chunked/i);
  assert.match(head, /connection: close/i);
  assert.equal(Buffer.from(body, 'latin1').toString('utf8'), resultOf(valueFrom(SMALL)));
  const [, part = ''] = (await ask(1)).split('\r\n\r\n');
  assert.throws(() => JSON.parse(part), SyntaxError);
});

for (const encoding of ['identity', 'gzip']) {
  test(`clients that do not read apply backpressure to sources, and cancel them by disconnecting: ${encoding}`, async (t) => {
    const { port, chain } = await startStreaming(t, [ENDLESS]);
    const readers = 10;
    const responses = await Promise.all(
      Array.from({ length: readers }, () => post(t, port, receiptsOf(0), { 'Accept-Encoding': encoding })),
    );
    const bytes = await untilHeldBack(chain.sources);
    assert.ok(bytes < readers * MOST_BUFFERED_BYTES, `${bytes} bytes were read`);
    for (const response of responses) {
      response.on('error', () => {});
      response.destroy();
    }
    await waitUntil(() => chain.sources.every(({ isCancelled }) => isCancelled));
  });
}

test('a client that does not read is disconnected, and its source cancelled', async (t) => {
  const { port, chain } = await startStreaming(t, [ENDLESS], { limits: { sendTimeout: 100 } });
  const client = new RawClient(port);
  client.socket.pause();
  client.send(encodeRequest(receiptsOf(0)));
  await waitUntil(() => chain.sources[0]?.isCancelled === true);
  client.close();
});

test('a source slower than the send timeout is not treated as a stuck client', async (t) => {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));
  const plan: SourcePlan = { ...SMALL, pause };
  const limits = { sendTimeout: 50, keepAliveTimeout: 50 };
  const { port } = await startStreaming(t, [plan], { limits });
  assert.deepEqual(
    await receive(await post(t, port, receiptsOf(0))),
    receivedFrom(resultOf(valueFrom(plan))),
  );
});

test('pipelined answers wait behind a stream in order', async (t) => {
  const gate = new Gate();
  const pause = (n: number): Promise<void> => (n === 2 ? gate.opened : Promise.resolve());
  const plan: SourcePlan = { ...SMALL, pause };
  const { port } = await startStreaming(t, [plan, SMALL]);
  const client = new RawClient(port);
  client.send(
    Buffer.concat([
      encodeRequest(receiptsOf(0, '1')),
      encodeRequest(CHAIN_ID),
      encodeRequest(receiptsOf(1, '3'), { Connection: 'close' }),
    ]),
  );
  setTimeout(gate.open, 50);
  const text = Buffer.from(await client.readToEnd(), 'latin1').toString('utf8');
  const ids = [...text.matchAll(/"jsonrpc":"2\.0","id":(\d)/g)].map(([, id]) => id);
  assert.deepEqual(ids, ['1', '7', '3']);
  assert.equal(text.split('"3:é').length, 3);
});

test('a stream that waits in a pipeline buffers only its first piece', async (t) => {
  const { port, chain } = await startStreaming(t, [
    { ...SMALL, pause: (n) => (n === 1 ? new Promise(() => {}) : Promise.resolve()) },
    ENDLESS,
  ]);
  const client = new RawClient(port);
  client.send(Buffer.concat([encodeRequest(receiptsOf(0)), encodeRequest(receiptsOf(1))]));
  await waitUntil(() => chain.sources[1]?.taken === 1);
  await untilHeldBack(chain.sources);
  assert.equal(chain.sources[1]?.taken, 1);
  client.close();
  await waitUntil(() => chain.sources.every(({ isCancelled }) => isCancelled));
});

test('a connection serves the next request after a stream', async (t) => {
  const { port } = await startStreaming(t, [SMALL]);
  const client = new RawClient(port);
  client.send(encodeRequest(receiptsOf(0)));
  assert.equal((await client.read(true))?.headers['connection'], 'keep-alive');
  client.send(encodeRequest(CHAIN_ID, { Connection: 'close' }));
  assert.match(await client.readToEnd(), /0\r\n\r\nHTTP\/1\.1 200 OK\r\n.*"id":7,"result":"0x539"\}$/s);
});

test('a graceful stop lets a stream complete, then closes its connection', async (t) => {
  const gate = new Gate();
  const pause = (n: number): Promise<void> => (n === 2 ? gate.opened : Promise.resolve());
  const plan = { ...SMALL, pause };
  const { port, server } = await startStreaming(t, [plan], { limits: { drainTimeout: 60_000 } });
  const client = new RawClient(port).send(encodeRequest(receiptsOf(0)));
  assert.equal((await client.read(true))?.headers['connection'], 'keep-alive');
  const closed = server.close();
  gate.open();
  assert.match(await client.readToEnd(), /\]\r\n.*\}\r\n0\r\n\r\n$/s);
  await closed;
});

test('a stream that exceeds the drain timeout is cut off', async (t) => {
  const { port, server, chain } = await startStreaming(t, [ENDLESS], { limits: { drainTimeout: 50 } });
  const received = receive(await post(t, port, receiptsOf(0)));
  await server.close();
  assert.equal((await received).isComplete, false);
  await waitUntil(() => chain.sources[0]?.isCancelled === true);
});
