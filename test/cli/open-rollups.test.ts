import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryCache } from '../../src/cache/memory-cache.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { EmbeddedChains } from '../../src/cli/embedded-chains.ts';
import { Rollups } from '../../src/cli/open-rollups.ts';
import { configSchema } from '../../src/config/config.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { createScriptedChain, makeHeader } from '../rollup/scripted-chain.ts';

/** A Taiko node, which says so, and nothing else. */
function createTaikoNode(): Chain {
  return createScriptedChain({
    headers: { latest: makeHeader() },
    call: () => '"0x"',
    requests: { taiko_headL1Origin: '{}', eth_getBlockByNumber: '{}' },
  }).chain;
}

/** A network of that chain. */
function configure(rollup: object) {
  const config = { networks: { l2: { hosts: ['l2'], upstreams: ['http://127.0.0.1:1'], rollup } } };
  return configSchema.parse(config).networks;
}

/** Opens nothing that is not there already. */
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

/** Lines that are logged, as objects. */
function createSink() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('info', { sink: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  return { lines, log };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('a rollup that does not say its family is asked for it, and has its prefix', async () => {
  const { log } = createSink();
  const opened = await openRollups(configure({}), new Map([['l2', createTaikoNode()]]), log);
  assert.equal(opened.get('l2')?.prefix, 'taiko');
  const own = await openRollups(configure({ prefix: 'mine' }), new Map([['l2', createTaikoNode()]]), log);
  assert.equal(own.get('l2')?.prefix, 'mine');
});

test('what cannot be recognised or asked does not start', async () => {
  const { log } = createSink();
  const layer1 = createScriptedChain({ headers: { latest: makeHeader() }, call: () => '"0x"' }).chain;
  await assert.rejects(
    openRollups(configure({}), new Map([['l2', layer1]]), log),
    new Error('network l2: its rollup family cannot be told from its chain: set rollup.family'),
  );
  const down = createTaikoNode();
  down.request = async () => {
    throw new ChainError('unavailable', 'no node answers');
  };
  await assert.rejects(
    openRollups(configure({}), new Map([['l2', down]]), log),
    new Error('network l2: its rollup family cannot be asked for: no node answers', { cause: down }),
  );
});

test('a family that is configured holds; when the chain looks like another one, that is said by name', async () => {
  const { log, lines } = createSink();
  const chains = new Map([['l2', createTaikoNode()]]);
  assert.equal((await openRollups(configure({ family: 'scroll' }), chains, log)).get('l2')?.prefix, 'scroll');
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
