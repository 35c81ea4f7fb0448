import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { JsonBytes, type JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { createMemoryCache } from '../../src/cache/memory-cache.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { createScriptedNetwork, ScriptedChain } from '../gateway/scripted-network.ts';
import { receiptsOf, resultOf } from '../gateway/scripted-source.ts';
import { openTo } from '../support/access.ts';
import { waitUntil } from '../support/wait-until.ts';
import { post, receive, receivedFrom } from './streaming-service.ts';
import { encodeHead, encodeRequest, HOST, KEY, PATH, RawClient, startServer } from './support.ts';

/** Bodies that are copied into one write, sent in several parts, and larger than a socket takes at once. */
const SIZES = [9_000, 40_000, 1_000_000];
const VALUES = SIZES.map((size) => `["${'é0x12ab'.repeat(size / 8)}"]`);
const CHAIN_ID = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';
const CHAIN_ID_ANSWER = '{"jsonrpc":"2.0","id":7,"result":"0x539"}';
const ZIPS = { 'Accept-Encoding': 'gzip' };

/** Answers the receipts of block n with the n-th value from a cache, alternately at once and a moment later. */
class KeptChain extends ScriptedChain {
  readonly cache = createMemoryCache({ bytes: 64e6, entryBytes: 4e6 });
  #requested = 0;

  constructor() {
    super();
    VALUES.forEach((value, n) => {
      const key = { blockHash: `0x${n}`, request: 'receipts' };
      this.cache.set(key, value);
      // A second read keeps the entry cached when larger ones are added.
      this.cache.get(key);
    });
  }

  override getReceipts(block: BlockReference): PromiseOrValue<JsonResult | null> {
    assert.ok(block.kind === 'number');
    const cached = this.cache.get({ blockHash: `0x${block.number}`, request: 'receipts' }) ?? null;
    this.#requested++;
    return this.#requested % 2 === 0 ? cached : Promise.resolve(cached);
  }

  packedOf(n: number, coding: string): object | undefined {
    const cached = this.cache.get({ blockHash: `0x${n}`, request: 'receipts' });
    return cached instanceof JsonBytes ? cached.value.findPacked(coding) : undefined;
  }
}

async function start(t: TestContext): Promise<{ readonly port: number; readonly chain: KeptChain }> {
  const chain = new KeptChain();
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network: createScriptedNetwork(chain) }]),
    access: openTo((key) => (key === KEY ? { id: 'p', name: 'p' } : undefined)),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
  });
  return { port: (await startServer(t, { gateway })).port, chain };
}

/** A request that the fast-path reader leaves to node's server. */
function encodeOther(body: string, headers: Record<string, string> = {}): Buffer {
  const fields = {
    Host: HOST,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
    ...headers,
  };
  const bytes = Buffer.from(body);
  const head = encodeHead('POST', PATH, fields);
  return Buffer.concat([
    Buffer.from(`${head}${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
}

test('cached bytes are answered byte for byte, on the fast path and by node', async (t) => {
  const { port } = await start(t);
  for (const encode of [encodeRequest, encodeOther]) {
    const client = new RawClient(port);
    t.after(() => client.close());
    for (const [n, value] of VALUES.entries()) {
      for (const id of ['1', '"é"', '1.0']) {
        const answer = await client.send(encode(receiptsOf(n, id))).read();
        assert.equal(answer?.status, 200);
        assert.ok(answer.body.equals(Buffer.from(resultOf(value, id))), `${SIZES[n]} with id ${id}`);
        assert.equal(answer.headers['content-length'], String(answer.body.length));
        assert.equal(answer.headers['vary'], 'Accept-Encoding');
      }
    }
  }
});

test('pipelined requests get cached bytes in order', async (t) => {
  const { port } = await start(t);
  const client = new RawClient(port);
  t.after(() => client.close());
  const order = [0, 2, 1, 0, 2, 2, 1];
  const requests = order.flatMap((n, i) => [
    encodeRequest(receiptsOf(n, String(i)), i % 2 === 0 ? {} : ZIPS),
    encodeRequest(CHAIN_ID),
  ]);
  client.send(Buffer.concat(requests));
  for (const [i, n] of order.entries()) {
    const answer = await client.read();
    const body = i % 2 === 0 ? answer?.body : gunzipSync(answer?.body as Buffer);
    assert.ok(body?.equals(Buffer.from(resultOf(VALUES[n] as string, String(i)))));
    assert.equal((await client.read())?.body.toString(), CHAIN_ID_ANSWER);
  }
});

for (const [coding, decode] of [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)
  test(`answers in ${coding} reuse the compressed bytes of their cache entry`, async (t) => {
    const { port, chain } = await start(t);
    for (const encode of [encodeRequest, encodeOther]) {
      const client = new RawClient(port);
      t.after(() => client.close());
      for (const n of [0, 1, 2]) {
        let packed = chain.packedOf(n, coding);
        for (const id of ['1', '"é"', '22']) {
          const answer = await client.send(encode(receiptsOf(n, id), { 'Accept-Encoding': coding })).read();
          assert.equal(answer?.headers['content-encoding'], coding);
          assert.ok(decode(answer?.body as Buffer).equals(Buffer.from(resultOf(VALUES[n] as string, id))));
          const cached = chain.packedOf(n, coding);
          assert.ok(cached !== undefined && cached === (packed ?? cached));
          packed = cached;
        }
      }
    }
  });

test('concurrent requests share one compression', async (t) => {
  const { port } = await start(t);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, id) => {
      const client = new RawClient(port);
      t.after(() => client.close());
      return client.send(encodeRequest(receiptsOf(2, String(id)), ZIPS)).read();
    }),
  );
  for (const [id, answer] of answers.entries()) {
    assert.equal(answer?.headers['content-encoding'], 'gzip');
    assert.ok(
      gunzipSync(answer?.body as Buffer).equals(Buffer.from(resultOf(VALUES[2] as string, String(id)))),
    );
  }
});

test('batch items have the same bytes, in one body or in pieces', async (t) => {
  const { port } = await start(t);
  for (const order of [
    [0, 0],
    [1, 0, 1],
    [2, 0, 1, 2],
  ]) {
    const items = order.map((n, id) => receiptsOf(n, String(id)));
    const expected = [...order.map((n, id) => resultOf(VALUES[n] as string, String(id))), CHAIN_ID_ANSWER];
    for (const headers of [{}, ZIPS]) {
      const answer = await post(t, port, `[${items.join()},${CHAIN_ID}]`, headers);
      assert.deepEqual(await receive(answer), receivedFrom(`[${expected.join()}]`));
    }
  }
});

test('an answer larger than one write is sent in pieces', async (t) => {
  const { port, chain } = await start(t);
  const value = `"${'é'.repeat(1_500_000)}"`;
  chain.cache.set({ blockHash: '0x9', request: 'receipts' }, value);
  for (const headers of [{}, ZIPS]) {
    const answer = await post(t, port, receiptsOf(9), headers);
    assert.equal(answer.headers['content-length'], undefined);
    assert.deepEqual(await receive(answer), receivedFrom(resultOf(value)));
  }
});

test('WebSocket messages have the same bytes', async (t) => {
  const { port } = await start(t);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  t.after(() => socket.terminate());
  const messages: string[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    assert.equal(isBinary, false);
    messages.push(data.toString('utf8'));
  });
  await once(socket, 'open');
  for (const [n] of VALUES.entries()) {
    socket.send(receiptsOf(n, String(n)));
    socket.send(CHAIN_ID);
  }
  await waitUntil(() => messages.length === 2 * VALUES.length);
  const expected = VALUES.map((value, n) => resultOf(value, String(n)));
  for (const text of expected) assert.ok(messages.includes(text));
  assert.equal(messages.filter((text) => text === CHAIN_ID_ANSWER).length, VALUES.length);
});

test('clients that leave with unread answers do not affect later requests', async (t) => {
  const { port } = await start(t);
  for (let i = 0; i < 20; i++) {
    const client = new RawClient(port);
    client.socket.pause();
    client.send(Buffer.concat([encodeRequest(receiptsOf(2)), encodeRequest(receiptsOf(2), ZIPS)]));
    await once(client.socket, 'connect');
    client.close();
  }
  const client = new RawClient(port);
  t.after(() => client.close());
  const answer = await client.send(encodeRequest(receiptsOf(2))).read();
  assert.ok(answer?.body.equals(Buffer.from(resultOf(VALUES[2] as string))));
});
