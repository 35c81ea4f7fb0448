/** Queue depth for the autoscaler: calls that wait for a scheduler slot of a network, in metrics and status. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createCache } from '../../src/cache/create-cache.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import { EmbeddedChains } from '../../src/service/embedded-chains.ts';
import { createSources, type ObservedParts, watchService } from '../../src/service/observe-service.ts';
import { OpenNetworks } from '../../src/service/open-networks.ts';
import type { FairQueue } from '../../src/util/fair-queue.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { startNode } from '../support/served-node.ts';

async function open(t: TestContext) {
  const { url } = await startNode(t);
  const text = JSON.stringify({
    limits: { networkCalls: 2, networkQueue: 100 },
    networks: {
      busy: { hosts: ['busy.localhost'], upstreams: [url] },
      idle: { hosts: ['idle.localhost'], upstreams: [url] },
    },
  });
  const config = parseConfig(text, { name: 'test', folder: process.cwd(), environment: {} });
  const log = createLogger('silent');
  const engine = new EmbeddedChains({ threads: 1, onFault: assert.fail });
  const cache = await createCache(config.cache, log);
  const backends = { dataDir: config.dataDir, engine, cache, log };
  const networks = await OpenNetworks.open(config, backends, { isStrict: true });
  const observability = await watchService(config, log);
  t.after(async () => {
    await networks.close();
    await engine.close();
    await cache.close();
    await observability.close();
  });
  const [gateway, health, server] = [
    { bodiesInFlight: 0 },
    { isDraining: false },
    { connections: 0, webSockets: 0, shares: { refusals: {} } },
  ];
  const sources = createSources(networks, {
    cache,
    engine,
    gateway,
    health,
    server,
  } as unknown as ObservedParts);
  return { networks, observability, sources };
}

test('calls that wait for a slot are a gauge of their network, and counted as queued in the status', async (t) => {
  const { networks, observability, sources } = await open(t);
  const parts = {
    records: new MemoryRecordTable(),
    openFeed: (chain: Chain) => createNetworkFeed({ chain }),
  };
  const slots = networks.createRegistry(() => false, parts).get('busy')?.slots as FairQueue;
  slots.take('other');
  slots.take('key');
  for (let i = 0; i < 3; i++) assert.ok(slots.wait('key', { aborted: false }) instanceof Promise);
  assert.equal((await observability.readStatus(sources)).process.queued, 3);
  const lines = (await renderMetrics([await observability.readMetrics(sources)])).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('portcullis_queue_depth{')),
    ['portcullis_queue_depth{network="busy"} 3', 'portcullis_queue_depth{network="idle"} 0'],
  );
  assert.ok(lines.includes('portcullis_engine_queue_depth 0'));
  slots.leave('other');
  for (let i = 0; i < 4; i++) slots.leave('key');
  assert.equal((await observability.readStatus(sources)).process.queued, 0);
});
