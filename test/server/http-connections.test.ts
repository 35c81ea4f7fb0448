import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { RequestScope } from '../../src/util/request-scope.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  encodeHead,
  encodeRequest,
  errorOf,
  Gate,
  HOST,
  KEY,
  letArrive,
  PATH,
  RawClient,
  startServer,
} from './support.ts';

test('pipelined requests are answered in order, whatever is ready first', async (t) => {
  const gate = new Gate();
  const { port } = await startServer(t, {
    handler: async (text) => {
      if (text === '"slow"') await gate.opened;
      else gate.open();
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(Buffer.concat(['"slow"', '"a"', '"b"'].map((body) => encodeRequest(body))));
  const bodies = [];
  for (let i = 0; i < 3; i++) bodies.push((await client.read())?.body.toString());
  assert.deepEqual(bodies, ['"slow"', '"a"', '"b"']);
  client.close();
});

test('the unanswered requests of one connection are bounded', async (t) => {
  const gates: Gate[] = [];
  const { port, server } = await startServer(t, {
    limits: { pipelinedRequests: 2 },
    handler: async (text) => {
      const gate = new Gate();
      gates.push(gate);
      await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  const requests = Array.from({ length: 9 }, (_, index) => encodeRequest(`${index}`));
  client.send(Buffer.concat([Buffer.from('GET /a HTTP/1.1\r\n\r\n'), ...requests]));
  assert.equal((await client.read())?.status, 404);
  for (let index = 0; index < requests.length; index++) {
    await waitUntil(() => gates.length >= Math.min(index + 2, requests.length));
    // A request above the bound would begin in one of these turns of the event loop.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(gates.length, Math.min(index + 2, requests.length));
    gates[index]?.open();
    assert.equal((await client.read())?.body.toString(), `${index}`);
  }
  await waitUntil(() => server.shares.arrivingBytes === 0);
  client.close();
});

test('a pipelined request is answered even without memory for arriving bodies', async (t) => {
  const gate = new Gate();
  let begun = 0;
  const { port, server } = await startServer(t, {
    limits: { arrivingBytes: 1 },
    handler: async (text) => {
      begun++;
      await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(encodeRequest('1'));
  await waitUntil(() => begun === 1);
  client.send(encodeRequest('2'));
  await waitUntil(() => server.shares.arrivingBytes > 0);
  gate.open();
  assert.equal((await client.read())?.body.toString(), '1');
  assert.equal((await client.read())?.body.toString(), '2');
  assert.equal(server.shares.arrivingBytes, 0);
  client.close();
});

test('a limit of one unanswered request does not prevent reading its body, in any encoding', async (t) => {
  const { port } = await startServer(t, { limits: { pipelinedRequests: 1 } });
  const chunked = encodeHead('POST', PATH, {
    Host: HOST,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  });
  const bodies = ['"\\n\r\n\r\n"', `"${'x'.repeat(200_000)}"`, '1'];
  const client = new RawClient(port);
  client.send('GET /a HTTP/1.1\r\n\r\n');
  for (const body of bodies) client.send(encodeRequest(body));
  client.send(`${chunked}1\r\n2\r\n1\r\n3\r\n0\r\nTrailer: a\r\n\r\n`);
  client.send(encodeRequest('4'));
  assert.equal((await client.read())?.status, 404);
  for (const body of [...bodies, '23', '4']) assert.equal((await client.read())?.body.toString(), body);
  client.close();
});

test('a client that leaves aborts the scopes of all its requests', async (t) => {
  const scopes: RequestScope[] = [];
  const gate = new Gate();
  const { port } = await startServer(t, {
    handler: async (_text, scope) => {
      scopes.push(scope);
      await gate.opened;
      return { status: 200, body: '1' };
    },
  });
  const client = new RawClient(port);
  client.send(Buffer.concat([encodeRequest('{}'), encodeRequest('{}')]));
  await waitUntil(() => scopes.length === 2);
  assert.ok(scopes.every((scope) => !scope.signal.aborted));
  client.close();
  await waitUntil(() => scopes.every((scope) => scope.signal.aborted));
  gate.open();
});

test('an answered request is not aborted by the close that follows', async (t) => {
  let seen: RequestScope | undefined;
  const { port } = await startServer(t, {
    handler: (_text, scope) => {
      seen = scope;
      return { status: 200, body: '1' };
    },
  });
  const client = new RawClient(port);
  await client.send(encodeRequest('{}')).read();
  client.close();
  await letArrive();
  assert.equal(seen?.signal.aborted, false);
});

test('a scope carries the request’s deadline', async (t) => {
  let deadline = 0;
  const { port } = await startServer(t, {
    limits: { requestTimeout: 5_000 },
    handler: (_text, scope) => {
      deadline = scope.deadline;
      return { status: 200, body: '1' };
    },
  });
  const before = performance.now();
  const client = new RawClient(port);
  await client.send(encodeRequest('{}')).read();
  client.close();
  assert.ok(deadline >= before + 5_000 && deadline <= performance.now() + 5_000);
});

test('a client too slow with its headers gets 408 and is disconnected', async (t) => {
  const { port } = await startServer(t, { limits: { headersTimeout: 60, bodyTimeout: 60 } });
  const client = new RawClient(port);
  const answer = await client.send('POST /v3/').read();
  assert.equal(answer?.status, 408);
  assert.equal(answer && errorOf(answer).code, -32002);
  await client.readToEnd();
});

test('a connection that sends nothing is closed without an answer', async (t) => {
  const { port } = await startServer(t, { limits: { headersTimeout: 60, bodyTimeout: 60 } });
  const client = new RawClient(port);
  assert.equal(await client.readToEnd(), '');
});

test('a client too slow with its body gets 408 and is disconnected', async (t) => {
  const { port } = await startServer(t, { limits: { headersTimeout: 60, bodyTimeout: 60 } });
  const client = new RawClient(port);
  client.send(
    encodeHead('POST', PATH, { Host: HOST, 'Content-Type': 'application/json', 'Content-Length': '9' }),
  );
  assert.equal((await client.send('[').read())?.status, 408);
  await client.readToEnd();
});

test('a refused body that never ends is disconnected without a second answer', async (t) => {
  const { port } = await startServer(t, { limits: { headersTimeout: 1_000, bodyTimeout: 100 } });
  const client = new RawClient(port);
  client.send(encodeHead('POST', '/v3/bad', { Host: HOST, 'Content-Length': '9' }));
  assert.equal((await client.read())?.status, 401);
  assert.equal(await client.send('[').readToEnd(), '');
});

test('an idle connection is closed', async (t) => {
  const { port } = await startServer(t, { limits: { keepAliveTimeout: 50 } });
  const client = new RawClient(port);
  assert.equal((await client.send(encodeRequest('{}')).read())?.status, 200);
  assert.equal(await client.readToEnd(), '');
});

/** Larger than the kernel's buffers of both ends. */
const LARGE = JSON.stringify('z'.repeat(80_000_000));

test('a client that does not read its answer is disconnected', async (t) => {
  const logLines: string[] = [];
  const { port } = await startServer(t, {
    logLines,
    limits: { sendTimeout: 100 },
    handler: () => ({ status: 200, body: LARGE }),
  });
  const socket = connect({ host: '127.0.0.1', port });
  t.after(() => socket.destroy());
  socket.pause();
  socket.write(encodeRequest('{}'));
  await waitUntil(() => logLines.some((line) => line.includes('"finished":false')));
});

test('a client that takes longer than the send timeout but keeps reading is not disconnected', async (t) => {
  const { port } = await startServer(t, {
    limits: { sendTimeout: 1_500 },
    handler: () => ({ status: 200, body: LARGE }),
  });
  const socket = connect({ host: '127.0.0.1', port });
  t.after(() => socket.destroy());
  socket.write(encodeRequest('{}'));
  let received = 0;
  let closed = false;
  socket.on('close', () => {
    closed = true;
  });
  socket.on('data', (chunk) => {
    received += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 3);
  });
  await waitUntil(() => closed || received > LARGE.length);
  assert.ok(received > LARGE.length);
});

test('a long call on an otherwise idle connection is not treated as a stuck client', async (t) => {
  const { port } = await startServer(t, {
    limits: { sendTimeout: 500, keepAliveTimeout: 500 },
    handler: async (text) => {
      if (text === '"long"') await new Promise((resolve) => setTimeout(resolve, 1_500));
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  await client.send(encodeRequest('1')).read();
  assert.equal((await client.send(encodeRequest('"long"')).read())?.body.toString(), '"long"');
  client.close();
});

test('CORS: any origin by default, preflight without a key check', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const answer = await client.send(encodeRequest('{}', { Origin: 'https://dapp.example' })).read();
  assert.equal(answer?.headers['access-control-allow-origin'], '*');
  const refused = await client
    .send(encodeHead('POST', '/v3/bad', { Host: HOST, Origin: 'https://a' }))
    .read();
  assert.equal(refused?.status, 401);
  assert.equal(refused?.headers['access-control-allow-origin'], '*');
  const preflight = await client
    .send(
      encodeHead('OPTIONS', `/v3/${KEY}`, {
        Host: HOST,
        Origin: 'https://dapp.example',
        'Access-Control-Request-Method': 'POST',
      }),
    )
    .read();
  assert.equal(preflight?.status, 204);
  assert.equal(preflight?.headers['access-control-allow-methods'], 'POST');
  assert.match(preflight?.headers['access-control-allow-headers'] ?? '', /Content-Type/);
  assert.equal((await client.send(encodeRequest('{}')).read())?.status, 200);
  client.close();
});

test('CORS: a list of origins allows only their pages to read', async (t) => {
  const { port } = await startServer(t, { cors: { origins: ['https://Good.example'] } });
  const client = new RawClient(port);
  const good = await client.send(encodeRequest('{}', { Origin: 'https://good.example' })).read();
  assert.equal(good?.headers['access-control-allow-origin'], 'https://good.example');
  assert.equal(good?.headers['vary'], 'Origin');
  const bad = await client.send(encodeRequest('{}', { Origin: 'https://bad.example' })).read();
  assert.equal(bad?.headers['access-control-allow-origin'], undefined);
  const preflight = await client
    .send(encodeHead('OPTIONS', PATH, { Host: HOST, Origin: 'https://bad.example' }))
    .read();
  assert.equal(preflight?.status, 204);
  assert.equal(preflight?.headers['access-control-allow-methods'], undefined);
  client.close();
});

/** Lists the headers that a preflight response allows, in lower case. */
async function listAllowed(client: RawClient, origin: string, requested: string): Promise<string[]> {
  const head = encodeHead('OPTIONS', PATH, {
    Host: HOST,
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': requested,
  });
  const answer = await client.send(head).read();
  assert.equal(answer?.status, 204);
  const allowed = answer.headers['access-control-allow-headers'];
  return allowed === undefined ? [] : allowed.toLowerCase().split(', ');
}

test('CORS: a page of an allowed origin may send the headers that its SDKs add', async (t) => {
  const { port } = await startServer(t, { cors: { origins: ['https://good.example'] } });
  const client = new RawClient(port);
  const sdk = 'content-type,alchemy-aa-sdk-signer, Baggage ,sentry-trace';
  const allowed = await listAllowed(client, 'https://good.example', sdk);
  for (const name of ['content-type', 'alchemy-aa-sdk-signer', 'baggage', 'sentry-trace', 'authorization'])
    assert.equal(allowed.filter((one) => one === name).length, 1, name);
  assert.deepEqual(await listAllowed(client, 'https://bad.example', sdk), []);
  const odd = await listAllowed(client, 'https://good.example', 'a b,x:y,,"q",a;b,*,\u00e9,good-one');
  assert.deepEqual(odd.slice(5), ['good-one']);
  client.close();
});

test('CORS: a long list of requested headers is limited in number and bytes', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const many = await listAllowed(
    client,
    'https://a',
    Array.from({ length: 2_000 }, (_, i) => `h${i}`).join(','),
  );
  assert.equal(many.length, 5 + 64);
  assert.deepEqual(many.slice(5, 7), ['h0', 'h1']);
  const long = 'x'.repeat(1_000);
  const cut = await listAllowed(client, 'https://a', [`${long}a`, `${long}b`, `${long}c`].join(','));
  assert.deepEqual(cut.slice(5), [`${long}a`, `${long}b`]);
  const invalid = await listAllowed(
    client,
    'https://a',
    `${'a b,'.repeat(255)}last-looked-at,never-looked-at`,
  );
  assert.deepEqual(invalid.slice(5), ['last-looked-at']);
  client.close();
});

test('connections beyond the bound are not served', async (t) => {
  const { port } = await startServer(t, { limits: { connections: 1 } });
  const first = new RawClient(port);
  assert.equal((await first.send(encodeRequest('{}')).read())?.status, 200);
  const second = new RawClient(port);
  assert.equal(await second.send(encodeRequest('{}')).readToEnd(), '');
  assert.equal((await first.send(encodeRequest('{}')).read())?.status, 200);
  first.close();
});

test('a gateway fault is answered, logged without key or body, and not fatal', async (t) => {
  const logLines: string[] = [];
  const { port } = await startServer(t, {
    logLines,
    handler: () => {
      throw new Error('broken');
    },
  });
  const client = new RawClient(port);
  assert.match(String((await client.send(encodeRequest('{"secret":1}')).read())?.body), /-32603/);
  await waitUntil(() => logLines.length >= 2);
  const text = logLines.join('');
  assert.match(text, /broken/);
  assert.match(text, /"url":"\/v3\/\*\*\*"/);
  assert.ok(!text.includes(KEY) && !text.includes('secret'));
  client.close();
});
