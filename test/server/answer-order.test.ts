import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { waitUntil } from '../support/wait-until.ts';
import { encodeHead, encodeRequest, Gate, HOST, KEY, letArrive, RawClient, startServer } from './support.ts';

/** Headers that move a connection to node's server, or leave it on the fast path. */
const LANES = {
  'the plain lane': {},
  "node's server": { 'X-Latin': 'é' },
} as const;

const H2C = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' };
const WEBSOCKET = {
  Host: HOST,
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Bytes that follow slow requests, and the status of their response. */
const BEHIND: readonly (readonly [name: string, bytes: string | Buffer, status: number])[] = [
  ['a request that offers h2c', encodeRequest('"upgraded"', H2C), 200],
  ['bytes that are no request', 'garbage\r\n\r\n', 400],
  ['bytes that begin like a request', 'POST / HTTP/9.9\r\n\r\n', 400],
  ['CONNECT', encodeHead('CONNECT', 'example.org:443', { Host: 'example.org:443' }), 405],
  ['an upgrade that is refused', encodeHead('GET', '/ws/v3/wrong', WEBSOCKET), 401],
  [
    'an upgrade without its key field',
    encodeHead('GET', `/ws/v3/${KEY}`, { ...WEBSOCKET, 'Sec-WebSocket-Key': '' }),
    400,
  ],
  ['an upgrade that is accepted', encodeHead('GET', `/ws/v3/${KEY}`, WEBSOCKET), 101],
  ['a head that is too large', encodeHead('POST', '/', { 'X-Large': 'x'.repeat(20_000) }), 431],
  [
    'a body in bad chunks',
    `${encodeHead('POST', `/v3/${KEY}`, { Host: HOST, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })}zz\r\n`,
    400,
  ],
];

for (const [lane, extra] of Object.entries(LANES)) {
  for (const [name, bytes, status] of BEHIND) {
    for (const slow of [1, 3]) {
      for (const inOneWrite of [true, false]) {
        test(`${name} behind slow requests (${slow}) on ${lane}${inOneWrite ? ', in one write' : ''} is answered last`, async (t) => {
          const gate = new Gate();
          let begun = 0;
          const { port } = await startServer(t, {
            handler: async (text) => {
              begun++;
              if (text !== '"upgraded"') await gate.opened;
              return { status: 200, body: text };
            },
          });
          const client = new RawClient(port);
          t.after(() => client.close());
          const before = Array.from({ length: slow }, (_, i) => encodeRequest(`"slow ${i}"`, extra));
          if (inOneWrite) client.send(Buffer.concat([...before, Buffer.from(bytes)]));
          else {
            for (const request of before) client.send(request);
            await waitUntil(() => begun > 0);
            client.send(bytes);
          }
          await waitUntil(() => begun >= (lane === 'the plain lane' && !inOneWrite ? 1 : slow));
          // A premature response to the last request would have arrived by now.
          await letArrive();
          gate.open();
          for (let i = 0; i < slow; i++) {
            const answer = await client.read();
            assert.deepEqual([answer?.status, answer?.body.toString()], [200, `"slow ${i}"`]);
          }
          const last = await client.read(status === 101);
          assert.equal(last?.status, status);
          if (status === 200) assert.equal(last?.body.toString(), '"upgraded"');
          else if (status !== 101) assert.equal(await client.readToEnd(), '');
        });
      }
    }
  }
}

test('a stream in progress is not cut off by the bytes behind its request', async (t) => {
  const piece = Buffer.alloc(256 * 1024, 'x');
  const { port } = await startServer(t, {
    handler: () => ({
      status: 200,
      body: {
        pieces: (async function* () {
          for (let i = 0; i < 64; i++) yield piece;
        })(),
        cancel() {},
      },
    }),
  });
  for (const [, bytes] of BEHIND) {
    const socket = connect(port, '127.0.0.1');
    let length = 0;
    socket.on('data', (chunk) => {
      length += chunk.length;
    });
    socket.write(Buffer.concat([encodeRequest('1', { 'X-Latin': 'é' }), Buffer.from(bytes)]));
    await waitUntil(() => length > 64 * piece.length);
    socket.destroy();
  }
});

test('a request behind an h2c offer is answered behind it', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  client.send(
    Buffer.concat([
      encodeRequest('"1"'),
      encodeRequest('"2"', H2C),
      encodeRequest('"3"'),
      encodeRequest('"4"', H2C),
    ]),
  );
  for (const i of [1, 2, 3, 4]) assert.equal((await client.read())?.body.toString(), `"${i}"`);
  client.close();
});

test('a request that offers h2c with Connection: close is answered, and its connection closed', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  client.send(encodeRequest('"1"', { ...H2C, Connection: 'Upgrade, close, HTTP2-Settings' }));
  assert.equal((await client.read())?.body.toString(), '"1"');
  assert.equal(await client.readToEnd(), '');
});

test('nothing behind the last answer is executed', async (t) => {
  const seen: string[] = [];
  const gate = new Gate();
  const { server, port } = await startServer(t, {
    limits: { drainTimeout: 5_000 },
    handler: async (text) => {
      seen.push(text);
      if (text === '"slow"') await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(Buffer.concat([encodeRequest('"slow"'), encodeRequest('"a"')]));
  await waitUntil(() => seen.length === 2);
  const other = new RawClient(port);
  client.send(encodeRequest('"b"'));
  await waitUntil(() => seen.length === 3);
  const closed = server.close();
  client.send(encodeRequest('"c"'));
  await waitUntil(() => seen.includes('"c"'));
  client.send(encodeRequest('"d"'));
  await letArrive();
  gate.open();
  const answers: (string | undefined)[] = [];
  for (let i = 0; i < 4; i++) {
    const answer = await client.read();
    answers.push(`${answer?.body} ${answer?.headers['connection']}`);
  }
  assert.deepEqual(answers, ['"slow" keep-alive', '"a" keep-alive', '"b" keep-alive', '"c" close']);
  assert.equal(await client.readToEnd(), '');
  assert.deepEqual(seen, ['"slow"', '"a"', '"b"', '"c"']);
  await closed;
  other.close();
});

for (const [lane, extra] of Object.entries(LANES)) {
  test(`a stop closes a connection with queued requests after the last of them, on ${lane}`, async (t) => {
    const gate = new Gate();
    let begun = 0;
    const { server, port } = await startServer(t, {
      limits: { drainTimeout: 5_000 },
      handler: async (text) => {
        begun++;
        await gate.opened;
        return { status: 200, body: text };
      },
    });
    const client = new RawClient(port);
    client.send(encodeRequest('"0"', extra));
    await waitUntil(() => begun === 1);
    client.send(encodeRequest('"1"', extra)).send(encodeRequest('"2"', extra));
    await letArrive();
    const closed = server.close();
    gate.open();
    for (const i of [0, 1, 2]) assert.equal((await client.read())?.body.toString(), `"${i}"`);
    assert.equal(await client.readToEnd(), '');
    await closed;
  });

  test(`a stop waits until complete answers have been read, on ${lane}`, async (t) => {
    const large = JSON.stringify('z'.repeat(30_000_000));
    let isAnswered = false;
    const { server, port } = await startServer(t, {
      limits: { drainTimeout: 20_000 },
      handler() {
        setImmediate(() => {
          isAnswered = true;
        });
        return { status: 200, body: large };
      },
    });
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(encodeRequest('1', extra));
    await waitUntil(() => isAnswered);
    const closed = server.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    let length = 0;
    socket.on('data', (chunk) => {
      length += chunk.length;
    });
    await closed;
    await waitUntil(() => length > large.length);
  });
}

test('a WebSocket opened behind a slow request works', async (t) => {
  const gate = new Gate();
  const { port } = await startServer(t, {
    handler: async (text) => {
      if (text === '"slow"') await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(
    Buffer.concat([
      encodeRequest('"slow"', { 'X-Latin': 'é' }),
      Buffer.from(encodeHead('GET', `/ws/v3/${KEY}`, WEBSOCKET)),
      // A masked text frame: "1", with a mask of zeros.
      Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x31]),
    ]),
  );
  let received = '';
  client.socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  setTimeout(gate.open, 20);
  // An unmasked text frame with the answer.
  await waitUntil(() => received.endsWith('\x81\x011'));
  assert.match(received, /^HTTP\/1\.1 200 OK[\s\S]*"slow"HTTP\/1\.1 101 /);
  client.close();
});
