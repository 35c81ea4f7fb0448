import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { openTo } from '../support/access.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { spin } from '../support/watch-turns.ts';
import { encodeHead, HOST, RawClient, startServer } from './support.ts';

/** Longer than one owner's share of a turn of the event loop, ms. */
const CALL_MS = 2;

function encodeCall(key: string): string {
  const params = [{ data: key === 'a' ? '0x0a' : '0x0b' }, 'latest'];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params });
  const fields = { Host: HOST, 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  return `${encodeHead('POST', `/v3/${key}`, fields)}${body}`;
}

test('a call of one key waits for at most three calls of another, however many connections the other has', async (t) => {
  const order: string[] = [];
  const network = createScriptedNetwork(
    createFakeChain({
      execution: {
        call: ({ call }) => {
          order.push(call.data === '0x0a' ? 'a' : 'b');
          spin(CALL_MS);
          return '"0x"';
        },
      },
    }),
  );
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network }]),
    access: openTo((key) => ({ id: key ?? '', name: key ?? '' })),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
  });
  const { port } = await startServer(t, { gateway });
  const keys = [...'aaaaaaaaaaaa', 'b'];
  const clients = keys.map((key) => ({ key, client: new RawClient(port) }));
  const requestAll = (): Promise<unknown> =>
    Promise.all(clients.map(({ key, client }) => client.send(encodeCall(key)).read()));
  // From here on, connections are open and both keys are known.
  await requestAll();
  for (let round = 0; round < 3; round++) {
    order.length = 0;
    await requestAll();
    assert.equal(order.length, keys.length);
    // Before `b`, at most one call of `a` runs at once, and one before its scheduler slot.
    assert.ok(order.indexOf('b') <= 3, order.join(''));
  }
  for (const { client } of clients) client.socket.destroy();
});
