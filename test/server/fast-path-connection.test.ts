import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../support/wait-until.ts';
import {
  createFakeGateway,
  encodeHead,
  encodeRequest,
  Gate,
  HOST,
  letArrive,
  PATH,
  RawClient,
  startServer,
} from './support.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('a body that arrives in pieces is answered', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const request = encodeRequest(JSON.stringify('x'.repeat(300)));
  for (let at = 0; at < request.length; at += 100) {
    client.send(request.subarray(at, at + 100));
    await sleep(2);
  }
  assert.equal((await client.read())?.body.length, 302);
  assert.equal((await client.send(encodeRequest('2')).read())?.body.toString(), '2');
  client.close();
});

test('a body that arrives slowly is answered by node’s server', async (t) => {
  const { port } = await startServer(t, { limits: { bodyTimeout: 60_000 } });
  const client = new RawClient(port);
  client.send(encodeRequest('[1,2]').subarray(0, -2));
  await sleep(400);
  assert.equal((await client.send('2]').read())?.body.toString(), '[1,2]');
  assert.equal((await client.send(encodeRequest('3')).read())?.body.toString(), '3');
  client.close();
});

test('the bytes of all arriving bodies are bounded together', async (t) => {
  const { port } = await startServer(t, { limits: { arrivingBytes: 100 } });
  const [first, second] = [new RawClient(port), new RawClient(port)];
  const request = encodeRequest(JSON.stringify('x'.repeat(60)));
  first.send(request.subarray(0, -1));
  await letArrive();
  assert.equal((await second.send(request.subarray(0, -1)).read())?.status, 429);
  assert.equal((await first.send('"').read())?.status, 200);
  // The bytes reserved for the first body are free again.
  const third = new RawClient(port);
  third.send(request.subarray(0, -1));
  await letArrive();
  assert.equal((await third.send('"').read())?.status, 200);
  for (const client of [first, second, third]) client.close();
});

test('fast-path and other requests may alternate on a connection', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const chunked = encodeHead('POST', PATH, {
    Host: HOST,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  });
  for (const [request, answer] of [
    [encodeRequest('1'), '1'],
    [`${chunked}3\r\n[2]\r\n0\r\n\r\n`, '[2]'],
    [encodeRequest('3'), '3'],
    [encodeRequest('4', { 'X-Odd': '\xe9' }), '4'],
  ] as const) {
    assert.equal((await client.send(request).read())?.body.toString(), answer);
  }
  client.close();
});

test('the first request may be on the fast path with others behind it', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const requests = ['1', '2', '3'].map((body) => encodeRequest(body));
  client.send(Buffer.concat([...requests.slice(0, 2), encodeRequest('[]').subarray(0, 40)]));
  client.send(encodeRequest('[]').subarray(40));
  for (const body of ['1', '2', '[]']) assert.equal((await client.read())?.body.toString(), body);
  client.close();
});

test('pipelined requests are answered after the pending answer', async (t) => {
  const gate = new Gate();
  const started: string[] = [];
  const { port } = await startServer(t, {
    handler: async (text) => {
      started.push(text);
      if (text === '"slow"') await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(encodeRequest('"slow"'));
  await waitUntil(() => started.length === 1);
  for (const body of ['1', '2', '3']) {
    client.send(encodeRequest(body));
    await sleep(5);
  }
  gate.open();
  for (const body of ['"slow"', '1', '2', '3']) assert.equal((await client.read())?.body.toString(), body);
  client.close();
});

test('answers beyond ASCII have their length in bytes', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  assert.equal((await client.send(encodeRequest('"äß€😀"')).read())?.body.toString(), '"äß€😀"');
  assert.equal((await client.send(encodeRequest('1')).read())?.body.toString(), '1');
  client.close();
});

test('a fast-path answer has the same fields as any other', async (t) => {
  const { port } = await startServer(t);
  const headersOf = async (headers: Record<string, string>): Promise<Record<string, string> | undefined> => {
    const client = new RawClient(port);
    const answer = await client.send(encodeRequest(JSON.stringify('x'.repeat(2_000)), headers)).read();
    client.close();
    const { date, ...others } = answer?.headers ?? {};
    assert.ok(Math.abs(Date.parse(date ?? '') - Date.now()) < 60_000);
    return others;
  };
  const origin = { Origin: 'https://a.example' };
  assert.deepEqual(await headersOf(origin), await headersOf({ ...origin, 'X-Odd': '\xe9' }));
});

test('a gateway that throws causes an internal error, and the connection remains open', async (t) => {
  const gateway = createFakeGateway();
  const logLines: string[] = [];
  let isBroken = true;
  const { port } = await startServer(t, {
    logLines,
    gateway: {
      ...gateway,
      admit: (visitor) => {
        if (isBroken) throw new Error('broken');
        return gateway.admit(visitor);
      },
    },
  });
  const client = new RawClient(port);
  assert.match((await client.send(encodeRequest('1')).read())?.body.toString() ?? '', /-32603/);
  isBroken = false;
  assert.equal((await client.send(encodeRequest('1')).read())?.body.toString(), '1');
  assert.ok(logLines.some((line) => line.includes('could not be served')));
  client.close();
});

test('the answers to a client that sends without reading are bounded', async (t) => {
  const answer = JSON.stringify('z'.repeat(100_000));
  let answered = 0;
  const { port } = await startServer(t, {
    limits: { sendTimeout: 60_000 },
    handler: () => {
      answered++;
      return { status: 200, body: answer };
    },
  });
  const client = new RawClient(port);
  client.socket.pause();
  const sender = setInterval(() => client.send(encodeRequest('1')), 1);
  let before = -1;
  while (before !== answered) {
    before = answered;
    await sleep(300);
  }
  clearInterval(sender);
  // 640 answers are 64 MB, far more than the kernel's buffers take.
  assert.ok(answered < 640, `${answered} answers`);
  client.close();
});

test('partWith closes the requested number of connections with their next answers', async (t) => {
  const { port, server } = await startServer(t);
  const clients = [new RawClient(port), new RawClient(port), new RawClient(port)] as const;
  const ask = async (client: RawClient): Promise<string | undefined> =>
    (await client.send(encodeRequest('1')).read())?.headers['connection'];
  for (const client of clients) assert.equal(await ask(client), 'keep-alive');
  server.partWith(1);
  assert.equal(await ask(clients[0]), 'close');
  assert.equal(await clients[0].readToEnd(), '');
  assert.equal(await ask(clients[1]), 'keep-alive');
  server.partWith(2);
  server.partWith(0);
  for (const client of clients.slice(1)) assert.equal(await ask(client), 'keep-alive');
  for (const client of clients) client.close();
});

test('partWith skips a connection whose next request has already arrived', async (t) => {
  const gate = new Gate();
  let isReserved = false;
  const { port, server } = await startServer(t, {
    async handler(text) {
      isReserved = true;
      if (text === '1') await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(encodeRequest('1'));
  await waitUntil(() => isReserved);
  client.send(encodeRequest('2'));
  await letArrive();
  server.partWith(1);
  gate.open();
  const answers = [await client.read(), await client.read()];
  assert.deepEqual(
    answers.map((answer) => [answer?.body.toString(), answer?.headers['connection']]),
    [
      ['1', 'keep-alive'],
      ['2', 'close'],
    ],
  );
});

test('partWith skips connections of node’s server with further requests, complete or arriving', async (t) => {
  const gate = new Gate();
  const done: string[] = [];
  const { port, server } = await startServer(t, {
    async handler(text) {
      if (text === '1') await gate.opened;
      done.push(text);
      return { status: 200, body: text };
    },
  });
  const [client, slow] = [new RawClient(port), new RawClient(port)];
  client.send(Buffer.concat([encodeRequest('1'), encodeRequest('2')]));
  slow.send(Buffer.concat([encodeRequest('1'), encodeRequest('[3]').subarray(0, -1)]));
  await waitUntil(() => done.includes('2'));
  await letArrive();
  server.partWith(2);
  gate.open();
  assert.equal((await client.read())?.headers['connection'], 'keep-alive');
  assert.equal((await slow.read())?.headers['connection'], 'keep-alive');
  assert.equal((await client.read())?.body.toString(), '2');
  slow.send(']');
  const last = await slow.read();
  assert.equal(last?.body.toString(), '[3]');
  for (const one of [client, slow]) one.close();
});

test('partWith also closes after compressed answers, and ignores connections that the client closes', async (t) => {
  const { port, server } = await startServer(t);
  const client = new RawClient(port);
  const long = JSON.stringify('x'.repeat(2_000));
  const ask = async (headers: Record<string, string>): Promise<string | undefined> =>
    (await client.send(encodeRequest(long, headers)).read())?.headers['connection'];
  const leaving = new RawClient(port);
  server.partWith(1);
  await leaving.send(encodeRequest('1', { Connection: 'close' })).read();
  assert.equal(await ask({ 'Accept-Encoding': 'gzip' }), 'close');
  assert.equal(await client.readToEnd(), '');
});
