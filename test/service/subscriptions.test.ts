/** Subscriptions of a complete service: a feed lives as long as its chain, across reloads, and ends with it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import { composeService } from '../../src/service/compose.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { FakeFeed, makeStep } from '../support/fake-feed.ts';

async function subscribe(port: number, network: string): Promise<WebSocket> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/${network}/ws/v3/demo`);
  await once(ws, 'open');
  ws.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  const [answer] = await once(ws, 'message');
  assert.match(JSON.parse(String(answer)).result, /^0x/);
  return ws;
}

test('subscriptions continue after a reload that retains their chain, and close with 1012 if it is removed', async (t) => {
  const folder = makeTemporaryFolder();
  const describe = (networks: object): ReturnType<typeof parseConfig> =>
    parseConfig(
      JSON.stringify({
        listen: { host: '127.0.0.1', port: 0 },
        admin: false,
        dataDir: folder.path,
        limits: { drainTimeout: '100ms' },
        networks,
      }),
      { name: 'test', folder: process.cwd(), environment: {} },
    );
  const kept = { builtin: 'devnet', hosts: ['kept.localhost'] };
  const gone = { builtin: 'op-rollup', hosts: ['gone.localhost'] };
  const feeds = new Map<bigint, FakeFeed>();
  const service = await composeService(describe({ kept, gone }), createLogger('silent'), {
    openFeed({ chainId }) {
      assert.ok(!feeds.has(chainId), 'one feed a chain');
      const feed = new FakeFeed();
      feeds.set(chainId, feed);
      return feed;
    },
  });
  t.after(async () => {
    await service.close();
    folder.remove();
  });
  const { port } = await service.server.listen();
  const [staying, leaving] = [await subscribe(port, 'kept'), await subscribe(port, 'gone')];
  const closed = once(leaving, 'close');
  await service.reload(describe({ kept: { ...kept, callTimeout: '3s' } }));
  const [code, reason] = await closed;
  assert.deepEqual([code, String(reason)], [1012, 'the network is no longer served: connect again']);

  const heard = once(staying, 'message');
  for (const feed of feeds.values()) feed.send(makeStep('added', 7));
  const [message] = await heard;
  assert.equal(JSON.parse(String(message)).params.result.number, '0x7');

  const { networks } = await service.readStatus();
  assert.equal(networks[0]?.subscriptions.open, 1);
  assert.equal(networks[0]?.subscriptions.sent, 1);
  const text = await renderMetrics([await service.readMetrics()]);
  assert.match(text, /^portcullis_subscriptions_open\{network="kept",kind="newHeads"\} 1$/m);

  const stopped = once(staying, 'close');
  await service.close();
  assert.equal((await stopped)[0], 1012);
  assert.deepEqual(
    [...feeds.values()].map(({ joined }) => joined.size),
    [0, 0],
  );
});
