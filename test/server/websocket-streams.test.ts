import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type ClientOptions, WebSocket } from 'ws';
import { receiptsOf, resultOf, type SourcePlan, valueFrom } from '../gateway/scripted-source.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  ENDLESS,
  MOST_BUFFERED_BYTES,
  PIECE_BYTES,
  receivedFrom,
  startStreaming,
  untilHeldBack,
} from './streaming-service.ts';
import { Gate, HOST, KEY } from './support.ts';

const SMALL: SourcePlan = { pieces: 4, pieceBytes: 100 };
const LARGE: SourcePlan = { pieces: 40, pieceBytes: PIECE_BYTES };
const HUGE: SourcePlan = { pieces: 800, pieceBytes: PIECE_BYTES };
const CHAIN_ID = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';
const CHAIN_ID_ANSWER = '{"jsonrpc":"2.0","id":7,"result":"0x539"}';

/** A client that records its messages. */
class Client {
  readonly socket: WebSocket;
  readonly messages: string[] = [];
  closeCode: number | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      assert.equal(isBinary, false);
      this.messages.push(data.toString('utf8'));
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
  }
}

async function connect(t: TestContext, port: number, options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, {
    headers: { Host: HOST },
    ...options,
  });
  t.after(() => socket.terminate());
  const client = new Client(socket);
  await once(socket, 'open');
  return client;
}

/** A plan whose source waits before a piece. */
function pausingAt(piece: number, plan: SourcePlan): { readonly plan: SourcePlan; readonly gate: Gate } {
  const gate = new Gate();
  return { plan: { ...plan, pause: (n) => (n === piece ? gate.opened : Promise.resolve()) }, gate };
}

test('50 MB arrive as one message, byte for byte', async (t) => {
  const { port } = await startStreaming(t, [HUGE]);
  const { socket, messages } = await connect(t, port);
  socket.send(receiptsOf(0, '1.0'));
  await waitUntil(() => messages.length > 0);
  assert.deepEqual(receivedFrom(messages.join()), receivedFrom(resultOf(valueFrom(HUGE), '1.0')));
});

test('other answers wait behind a stream, pings do not', async (t) => {
  const { plan, gate } = pausingAt(20, LARGE);
  const { port, chain } = await startStreaming(t, [plan, SMALL]);
  const { socket, messages } = await connect(t, port);
  socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources[0]?.taken === 20);
  socket.send(CHAIN_ID);
  socket.send(receiptsOf(1, '2'));
  await waitUntil(() => chain.sources[1]?.taken === 1);
  socket.ping();
  await once(socket, 'pong');
  assert.deepEqual(messages, []);
  gate.open();
  await waitUntil(() => messages.length === 3);
  assert.deepEqual(messages, [resultOf(valueFrom(LARGE)), CHAIN_ID_ANSWER, resultOf(valueFrom(SMALL), '2')]);
});

test('a batch of large results is one message', async (t) => {
  const { port } = await startStreaming(t, [LARGE, SMALL]);
  const { socket, messages } = await connect(t, port);
  socket.send(`[${receiptsOf(0)},${receiptsOf(1, '2')}]`);
  await waitUntil(() => messages.length > 0);
  assert.deepEqual(messages, [`[${resultOf(valueFrom(LARGE))},${resultOf(valueFrom(SMALL), '2')}]`]);
});

test('a message has few fragments, however small its pieces are', async (t) => {
  const crumbs: SourcePlan = { pieces: 5_000, pieceBytes: 40 };
  const { port } = await startStreaming(t, [crumbs]);
  const { socket, messages } = await connect(t, port, { maxFragments: 5 });
  socket.send(receiptsOf(0));
  await waitUntil(() => messages.length > 0);
  assert.deepEqual(messages, [resultOf(valueFrom(crumbs))]);
});

test('a source that fails before its first bytes is an error, and the connection remains open', async (t) => {
  const { port } = await startStreaming(t, [{ ...SMALL, breakAt: 0 }]);
  const { socket, messages } = await connect(t, port);
  socket.send(receiptsOf(0, '5'));
  await waitUntil(() => messages.length === 1);
  assert.match(messages.join(), /^\{"jsonrpc":"2.0","id":5,"error":\{"code":-32603,.*hung up/);
  socket.send(CHAIN_ID);
  await waitUntil(() => messages.length === 2);
});

for (const breakAt of [1, 20, 40]) {
  test(`a source that fails at piece ${breakAt} of 40 closes the connection without a complete message`, async (t) => {
    const { port, chain } = await startStreaming(t, [{ ...LARGE, breakAt }, SMALL]);
    const client = await connect(t, port);
    client.socket.send(receiptsOf(0));
    await waitUntil(() => client.closeCode !== undefined);
    assert.equal(client.closeCode, 1011);
    assert.deepEqual(client.messages, []);
    assert.equal(chain.sources[0]?.isCancelled, true);
  });
}

test('answers behind a broken stream are cancelled and not sent', async (t) => {
  const { plan, gate } = pausingAt(20, { ...LARGE, breakAt: 20 });
  const { port, chain } = await startStreaming(t, [plan, ENDLESS]);
  const client = await connect(t, port);
  client.socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources[0]?.taken === 20);
  client.socket.send(receiptsOf(1));
  client.socket.send(CHAIN_ID);
  await waitUntil(() => chain.sources[1]?.taken === 1);
  gate.open();
  await waitUntil(() => client.closeCode !== undefined);
  assert.equal(client.closeCode, 1011);
  assert.deepEqual(client.messages, []);
  await waitUntil(() => chain.sources[1]?.isCancelled === true);
});

test('clients that do not read apply backpressure to sources, and cancel them by disconnecting', async (t) => {
  const { port, chain } = await startStreaming(t, [ENDLESS]);
  const clients = await Promise.all(Array.from({ length: 10 }, () => connect(t, port)));
  for (const { socket } of clients) {
    socket.pause();
    // A second stream of the same connection waits to send its first piece.
    socket.send(receiptsOf(0));
    socket.send(receiptsOf(0));
  }
  await waitUntil(() => chain.sources.length === 20);
  const bytes = await untilHeldBack(chain.sources);
  assert.ok(bytes < clients.length * MOST_BUFFERED_BYTES, `${bytes} bytes were read`);
  await waitUntil(() => chain.sources.filter(({ taken }) => taken === 1).length === 10);
  for (const { socket } of clients) socket.terminate();
  await waitUntil(() => chain.sources.every(({ isCancelled }) => isCancelled));
});

test('a client that does not read is disconnected, and its source cancelled', async (t) => {
  const { port, chain } = await startStreaming(t, [ENDLESS], { limits: { sendTimeout: 100 } });
  const { socket } = await connect(t, port);
  socket.pause();
  socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources[0]?.isCancelled === true);
});

test('answers queued behind a stream count as unsent', async (t) => {
  const { plan, gate } = pausingAt(2, LARGE);
  const { port, chain } = await startStreaming(t, [plan, LARGE], {
    limits: { webSocketBufferedBytes: 10_000_000, webSocketHighWaterBytes: 10_000_000 },
  });
  const client = await connect(t, port);
  client.socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources[0]?.taken === 2);
  for (let i = 0; i < 10; i++) client.socket.send(`[${receiptsOf(1)}]`);
  await waitUntil(() => client.closeCode !== undefined);
  assert.equal(client.closeCode, 1008);
  assert.deepEqual(client.messages, []);
  await waitUntil(() => chain.sources.every(({ isCancelled }) => isCancelled));
  gate.open();
});

test('a graceful stop sends a stream and the answers behind it', async (t) => {
  const { plan, gate } = pausingAt(20, LARGE);
  const { port, server, chain } = await startStreaming(t, [plan], { limits: { drainTimeout: 60_000 } });
  const client = await connect(t, port);
  client.socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources[0]?.taken === 20);
  client.socket.send(CHAIN_ID);
  client.socket.ping();
  await once(client.socket, 'pong');
  const closed = server.close();
  gate.open();
  await waitUntil(() => client.closeCode !== undefined);
  assert.equal(client.closeCode, 1001);
  assert.deepEqual(client.messages, [resultOf(valueFrom(LARGE)), CHAIN_ID_ANSWER]);
  await closed;
});

test('a stream that exceeds the drain timeout is cut off', async (t) => {
  const { port, server, chain } = await startStreaming(t, [ENDLESS], { limits: { drainTimeout: 50 } });
  const client = await connect(t, port);
  client.socket.send(receiptsOf(0));
  await waitUntil(() => chain.sources.length === 1);
  await server.close();
  await waitUntil(() => client.closeCode !== undefined && chain.sources[0]?.isCancelled === true);
  assert.deepEqual(client.messages, []);
});
