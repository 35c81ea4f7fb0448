import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryCache } from '../../src/cache/memory-cache.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { configSchema } from '../../src/config/config.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { EmbeddedChains } from '../../src/service/embedded-chains.ts';
import { Rollups } from '../../src/service/open-rollups.ts';
import { createScriptedChain, makeHeader, SCOPE } from '../rollup/scripted-chain.ts';

/** Creates a node that identifies itself as Taiko, and answers nothing else. */
function createTaikoNode(): Chain {
  return createScriptedChain({
    headers: { latest: makeHeader() },
    call: () => '"0x"',
    requests: { taiko_headL1Origin: '{}', eth_getBlockByNumber: '{}' },
  }).chain;
}

/** Configures the network `l2` with this rollup section. */
function configure(rollup: object) {
  const config = { networks: { l2: { hosts: ['l2'], upstreams: ['http://127.0.0.1:1'], rollup } } };
  return configSchema.parse(config).networks;
}

/** Opens rollups over existing chains only: the engine and the cache stay empty. */
async function openRollups(
  networks: Parameters<Rollups['open']>[0],
  chains: ReadonlyMap<string, Chain>,
  log: Logger,
): Promise<Rollups> {
  const engine = new EmbeddedChains({ threads: 1, onFault: assert.fail });
  const rollups = new Rollups({
    dataDir: '',
    engine,
    cache: createMemoryCache({ bytes: 0, entryBytes: 0 }),
    log,
  });
  await rollups.open(networks, chains);
  return rollups;
}

/** Creates a logger and the list of its lines, parsed. */
function createSink() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('info', { sink: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  return { lines, log };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test("a rollup without a configured family is recognised by its nodes, and gets the family's prefix", async () => {
  const { log } = createSink();
  const opened = await openRollups(configure({}), new Map([['l2', createTaikoNode()]]), log);
  assert.equal(opened.get('l2')?.prefixes?.[0], 'taiko');
  const own = await openRollups(configure({ prefix: 'mine' }), new Map([['l2', createTaikoNode()]]), log);
  assert.equal(own.get('l2')?.prefixes?.[0], 'mine');
});

test('an unrecognisable rollup is opened, and its estimates report the setting to configure', async (t) => {
  const { log, lines } = createSink();
  const layer1 = createScriptedChain({ headers: { latest: makeHeader() }, call: () => '"0x"' }).chain;
  const rollups = await openRollups(configure({}), new Map([['l2', layer1]]), log);
  t.after(() => rollups.close());
  const rollup = rollups.get('l2');
  const failure = new ChainError(
    'misconfigured',
    'the rollup family cannot be recognised from the answers of the nodes: set rollup.family',
  );
  const request = { call: {}, block: { kind: 'tag', tag: 'latest' } } as const;
  await assert.rejects(async () => rollup?.family.estimateGas(request, SCOPE), failure);
  await assert.rejects(async () => rollup?.family.info(SCOPE), failure);
  assert.deepEqual([rollup?.familyName, rollup?.prefixes], [undefined, undefined]);
  await turn();
  assert.deepEqual(
    lines.map(({ network, reason }) => ({ network, reason })),
    [{ network: 'l2', reason: failure.message }],
  );
});

test('a rollup whose nodes are down is recognised once they answer, and remains so after a reload', async (t) => {
  const { log } = createSink();
  const node = createTaikoNode();
  let isUp = false;
  let watcher: (() => void) | undefined;
  const chain: Chain = {
    ...node,
    chainId: node.chainId,
    isAnswerable: true,
    blocks: node.blocks,
    execution: node.execution,
    heads: {
      served: undefined,
      watchPending: () => undefined,
      watch(listener) {
        watcher = listener;
        return () => {
          watcher = undefined;
        };
      },
    },
    request: async (...question) => {
      if (!isUp) throw new ChainError('unavailable', 'the only node does not answer');
      return node.request(...question);
    },
  };
  const chains = new Map([['l2', chain]]);
  const rollups = await openRollups(configure({}), chains, log);
  t.after(() => rollups.close());
  const rollup = rollups.get('l2');
  await assert.rejects(
    async () => rollup?.family.recognise?.(SCOPE),
    new ChainError(
      'unavailable',
      'the rollup family is not known yet: the only node does not answer; set rollup.family to skip the recognition',
    ),
  );
  isUp = true;
  // Reports the first head.
  watcher?.();
  while (rollup?.prefixes === undefined) await turn();
  assert.deepEqual([rollup.familyName, rollup.prefixes], ['taiko', ['taiko']]);
  assert.equal(watcher, undefined);
  isUp = false;
  const reloaded = await openRollups(configure({}), chains, log);
  t.after(() => reloaded.close());
  assert.equal(reloaded.get('l2')?.prefixes?.[0], 'taiko');
});

test('a configured family is used even if the chain looks like another one, which is logged', async () => {
  const { log, lines } = createSink();
  const chains = new Map([['l2', createTaikoNode()]]);
  assert.equal(
    (await openRollups(configure({ family: 'scroll' }), chains, log)).get('l2')?.prefixes?.[0],
    'scroll',
  );
  await turn();
  const [line] = lines;
  assert.equal(lines.length, 1);
  assert.deepEqual(
    { network: line?.['network'], configured: line?.['configured'], recognised: line?.['recognised'] },
    { network: 'l2', configured: 'scroll', recognised: 'taiko' },
  );
  await openRollups(configure({ family: 'taiko' }), chains, log);
  await turn();
  assert.equal(lines.length, 1);
});
