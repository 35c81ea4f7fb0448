import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Server } from '../../src/server/lifecycle.ts';
import type { ListenerLimits, ListenOptions } from '../../src/server/options.ts';
import { nameOwner } from '../../src/util/owner.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  createFakeGateway,
  encodeHead,
  encodeRequest,
  exchange,
  Gate,
  HOST,
  KEY,
  RawClient,
  startServer,
} from './support.ts';

const GREEDY = `${KEY}-greedy`;
const POLITE = `${KEY}-polite`;

/** Starts a server on which each key that begins with `good-key` is a separate owner. */
function start(
  t: TestContext,
  limits: Partial<ListenerLimits>,
  { admitted, listen }: { admitted?: Promise<void>; listen?: Partial<ListenOptions> } = {},
): Promise<{ server: Server; port: number }> {
  const gateway = createFakeGateway();
  return startServer(t, {
    limits,
    ...(listen !== undefined && { listen }),
    gateway: {
      ...gateway,
      async admit(visitor) {
        if (visitor.key === GREEDY) await admitted;
        const session = await gateway.admit({
          ...visitor,
          key: visitor.key?.startsWith(KEY) ? KEY : visitor.key,
        });
        return 'refused' in session
          ? session
          : { ...session, principal: { id: String(visitor.key), name: 'x' } };
      },
    },
  });
}

/** Opens a WebSocket, or returns the status of the refusal. */
async function upgrade(
  port: number,
  key: string,
  headers: Record<string, string> = {},
): Promise<WebSocket | number> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, { headers: { Host: HOST, ...headers } });
  return new Promise((resolve) => {
    ws.on('open', () => resolve(ws));
    ws.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    ws.on('error', () => {});
  });
}

test('an owner is named by its key, or else by its address, and the names never collide', () => {
  assert.equal(nameOwner('10.0.0.1', '10.0.0.2'), 'key:10.0.0.2');
  assert.equal(nameOwner('10.0.0.1'), 'address:10.0.0.1');
  assert.equal(nameOwner('2001:db8:0:1::1'), nameOwner('2001:db8:0:1:ffff::2'));
  assert.notEqual(nameOwner('2001:db8:0:1::1'), nameOwner('2001:db8:0:2::1'));
});

test('one key opens at most half of the WebSockets, other keys the rest, and closed ones free their places', async (t) => {
  const { server, port } = await start(t, { webSockets: 20 });
  const opened: WebSocket[] = [];
  t.after(() => {
    for (const ws of opened) ws.terminate();
  });
  for (;;) {
    const ws = await upgrade(port, GREEDY);
    if (typeof ws === 'number') {
      assert.equal(ws, 429);
      break;
    }
    opened.push(ws);
  }
  assert.equal(opened.length, 10);
  assert.equal(server.shares.refusals.webSockets, 1);
  for (let i = 0; i < 3; i++) {
    const ws = await upgrade(port, `${POLITE}-${i}`);
    assert.ok(typeof ws !== 'number');
    opened.push(ws);
  }
  opened.shift()?.terminate();
  opened.shift()?.terminate();
  opened.shift()?.terminate();
  opened.shift()?.terminate();
  await waitUntil(() => server.webSockets === 9);
  const again = await upgrade(port, GREEDY);
  assert.ok(typeof again !== 'number');
  opened.push(again);
});

test('a failed upgrade frees its place', async (t) => {
  const { server, port } = await start(t, { webSockets: 1 });
  for (let i = 0; i < 5; i++) {
    const head = { Host: HOST, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    assert.equal((await exchange(port, encodeHead('GET', `/ws/v3/${GREEDY}`, head))).status, 400);
    assert.equal(await upgrade(port, 'wrong'), 401);
  }
  await waitUntil(() => server.connections === 0);
  const ws = await upgrade(port, GREEDY);
  assert.ok(typeof ws !== 'number');
  ws.terminate();
});

test('upgrades whose key is being checked are bounded by address and by key', async (t) => {
  const gate = new Gate();
  const listen = { trustedProxies: ['loopback'] };
  const { server, port } = await start(t, { webSockets: 20 }, { admitted: gate.opened, listen });
  const waiting = Array.from({ length: 30 }, (_, i) =>
    upgrade(port, GREEDY, { 'X-Forwarded-For': `10.0.0.${i}` }),
  );
  await waitUntil(() => server.shares.refusals.webSockets === 20);
  const polite = await upgrade(port, POLITE, { 'X-Forwarded-For': '10.0.1.1' });
  assert.ok(typeof polite !== 'number');
  gate.open();
  const opened = (await Promise.all(waiting)).filter((ws) => typeof ws !== 'number');
  assert.ok(opened.length > 0 && opened.length <= 10, String(opened.length));
  for (const ws of [polite, ...opened]) ws.terminate();
});

/** Opens a client that sends fewer bytes than it announces, to node's server. */
function stallUpload(
  t: TestContext,
  port: number,
  key: string,
  headers: Record<string, string>,
  sent: string,
): Socket {
  const fields = { Host: HOST, 'Content-Type': 'application/json', 'Content-Length': '400000', ...headers };
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(encodeHead('POST', `/v3/${key}`, fields) + sent);
  return socket;
}

test('stalled uploads of one key take at most half of the memory for arriving bodies, and other keys upload', async (t) => {
  const { server, port } = await start(t, { arrivingBytes: 2_000_000 });
  // The uploads start one after another: bytes that wait for the handover to node's server count briefly under the address.
  for (let accepted = 1; accepted <= 3; accepted++) {
    stallUpload(t, port, GREEDY, {}, '1'.repeat(300_000));
    await waitUntil(() => server.shares.arrivingBytes >= accepted * 300_000);
  }
  stallUpload(t, port, GREEDY, {}, '1'.repeat(300_000));
  await waitUntil(() => server.shares.refusals.arriving > 0 && server.shares.arrivingBytes <= 1_000_000);
  const body = JSON.stringify('1'.repeat(390_000));
  const bytes = encodeRequest(body).toString('latin1').replace(`/v3/${KEY}`, `/v3/${POLITE}`);
  assert.equal((await exchange(port, bytes)).status, 200);
});

test('bodies count by client address until their key is checked, behind a proxy too', async (t) => {
  const limits = { arrivingBytes: 100_000, bodyTimeout: 60_000 };
  const { server, port } = await start(t, limits, { listen: { trustedProxies: ['loopback'] } });
  const sent: Socket[] = [];
  for (let i = 0; i < 40; i++) {
    const fields = { 'Content-Length': '5000', 'X-Forwarded-For': '10.0.0.1' };
    sent.push(stallUpload(t, port, GREEDY, fields, '1'));
  }
  // Bytes that wait until their head is read count briefly under the proxy's address.
  await waitUntil(() => server.shares.refusals.arriving > 0 && server.shares.arrivingBytes <= 60_000);
  const client = new RawClient(port);
  const polite = encodeRequest('"x"'.padEnd(20_000), { 'X-Forwarded-For': '10.0.0.2' });
  client.send(polite.subarray(0, 500));
  assert.equal((await client.send(polite.subarray(500)).read())?.status, 200);
  client.close();
  for (const socket of sent) socket.destroy();
  await waitUntil(() => server.shares.arrivingBytes === 0);
});

test('fragments of messages count by key', async (t) => {
  const { server, port } = await start(t, { arrivingBytes: 2_000_000 });
  const greedy: WebSocket[] = [];
  for (let i = 0; i < 4; i++) {
    const ws = (await upgrade(port, GREEDY)) as WebSocket;
    t.after(() => ws.terminate());
    ws.send('1'.repeat(400_000), { fin: false });
    greedy.push(ws);
  }
  await waitUntil(() => greedy.some((ws) => ws.readyState === ws.CLOSED));
  assert.ok(server.shares.arrivingBytes <= 1_000_000);
  const polite = (await upgrade(port, POLITE)) as WebSocket;
  polite.send('1'.repeat(400_000), { fin: false });
  polite.send('1', { fin: true });
  assert.equal(String((await once(polite, 'message'))[0]).length, 400_001);
  polite.close();
});

test('pipelined bytes count as arriving bytes until their request starts', async (t) => {
  const gate = new Gate();
  let begun = 0;
  const { server, port } = await startServer(t, {
    handler: async (text) => {
      begun++;
      await gate.opened;
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  client.send(encodeRequest('"1"'));
  await waitUntil(() => begun === 1);
  client.send(encodeRequest('"2"'));
  await waitUntil(() => server.shares.arrivingBytes > 0);
  gate.open();
  for (const i of [1, 2]) assert.equal((await client.read())?.body.toString(), `"${i}"`);
  assert.equal(server.shares.arrivingBytes, 0);
  client.close();
});

/** Opens a connection from a loopback address, and returns whether it is served. */
async function isServed(t: TestContext, port: number, localAddress: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  t.after(() => socket.destroy());
  const answer = await new RawClient(socket).send(encodeRequest('1')).read();
  return answer?.status === 200;
}

test('one address has at most half of the connections, others the rest', async (t) => {
  const { server, port } = await start(t, { connections: 20 });
  let served = 0;
  for (let i = 0; i < 15; i++) if (await isServed(t, port, '127.0.0.1')) served++;
  assert.equal(served, 10);
  assert.equal(server.shares.refusals.connections, 5);
  for (let i = 2; i < 6; i++) assert.ok(await isServed(t, port, `127.0.0.${i}`));
});

test('connections of trusted proxies have no share, and an ownerShare of 1 sets no bound', async (t) => {
  const trusting = await start(t, { connections: 20 }, { listen: { trustedProxies: ['127.0.0.1'] } });
  for (let i = 0; i < 18; i++) assert.ok(await isServed(t, trusting.port, '127.0.0.1'));
  const whole = await start(t, { connections: 20, ownerShare: 1 });
  for (let i = 0; i < 18; i++) assert.ok(await isServed(t, whole.port, '127.0.0.1'));
});

test('a large body counts while it is processed, and no longer', async (t) => {
  const gate = new Gate();
  const { server, port } = await startServer(t, {
    limits: { arrivingBytes: 1_000_000 },
    handler: async () => {
      await gate.opened;
      return { status: 200, body: '1' };
    },
  });
  const body = JSON.stringify('1'.repeat(300_000));
  const first = new RawClient(port).send(encodeRequest(body));
  await waitUntil(() => server.shares.arrivingBytes >= 300_000 && server.shares.arrivingBytes < 310_000);
  // Half of the memory is one key's share, which has no room for a second body.
  const second = new RawClient(port).send(encodeRequest(body));
  const status = (await second.read())?.status;
  gate.open();
  assert.equal(status, 429);
  assert.equal((await first.read())?.status, 200);
  await waitUntil(() => server.shares.arrivingBytes === 0);
});
