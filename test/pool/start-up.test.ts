/** Opens networks over nodes on real ports. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DEFAULT_LOG_LIMITS } from '../../src/chain/log-range.ts';
import { openUpstreamChain } from '../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../src/chains/upstream/sending/options.ts';
import type { UpstreamChain } from '../../src/chains/upstream/upstream-chain.ts';
import { poolOptionsSchema, upstreamsSchema } from '../../src/pool/options.ts';
import { SENDING_TOOLS } from '../../src/service/sending-tools.ts';
import { createRecordingLog, type RecordingLog } from '../gateway/recording-log.ts';
import { GENESIS_HASH, makeBlock, RpcError, startNode } from '../support/served-node.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createScope } from './support/exchange.ts';
import { createMemory } from './support/pool.ts';

const OTHER_GENESIS = `0x${'5'.repeat(64)}`;
const LATEST = { kind: 'tag', tag: 'latest' } as const;

async function open(t: TestContext, urls: readonly string[], log: RecordingLog): Promise<UpstreamChain> {
  const chain = await openUpstreamChain({
    network: 'test',
    upstreams: upstreamsSchema.parse(urls),
    pool: poolOptionsSchema.parse({ pollInterval: '100ms', retries: 0 }),
    logs: DEFAULT_LOG_LIMITS,
    verify: 'off',
    cache: createMemory(),
    log,
    sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
  });
  t.after(() => chain.close());
  return chain;
}

const messagesOf = (log: RecordingLog): string[] => log.lines.map((line) => JSON.parse(line).message);

test('nodes that disagree on the genesis block are excluded with a reason, and served once one changes', async (t) => {
  const genesis = { other: OTHER_GENESIS };
  const one = await startNode(t, { height: 0 });
  const answers = { eth_getBlockByNumber: () => ({ ...makeBlock(0), hash: genesis.other }) };
  const two = await startNode(t, { height: 0, answers });
  const log = createRecordingLog();
  const chain = await open(t, [one.url, two.url], log);
  const reason = `no majority for a genesis block: ${GENESIS_HASH}, ${OTHER_GENESIS}; set pool.genesisHash`;
  await assert.rejects(async () => chain.blocks.getHeader(LATEST, createScope()), {
    kind: 'unavailable',
    message: `2 nodes have ${reason}`,
  });
  assert.deepEqual(
    chain.describe().upstreams.map((node) => [node.state, node.reason]),
    [
      ['excluded', `it has ${reason}`],
      ['excluded', `it has ${reason}`],
    ],
  );
  const messages = messagesOf(log);
  assert.equal(messages.filter((message) => message.includes('do not agree on a genesis block')).length, 1);
  genesis.other = GENESIS_HASH;
  await waitUntil(() => chain.isAnswerable);
  assert.equal((await chain.blocks.getHeader(LATEST, createScope()))?.hash, GENESIS_HASH);
});

test('log, status and calls report the block of a single node whose head went back', async (t) => {
  let height = 5;
  const answers = {
    eth_getBlockByNumber: ([reference]: readonly unknown[]) => {
      const isTag = !String(reference).startsWith('0x');
      const number = isTag ? height : Number(reference);
      return number <= height ? makeBlock(number) : null;
    },
    eth_call: () => {
      if (height < 5) throw new RpcError(-32001, 'Resource not found');
      return '0x';
    },
  };
  const node = await startNode(t, { answers });
  const log = createRecordingLog();
  const chain = await open(t, [node.url], log);
  assert.equal(await chain.execution.call({ call: {}, block: LATEST }, createScope()), '"0x"');
  height = 0;
  await waitUntil(() =>
    messagesOf(log).some((message) => message.startsWith('the node went back from block 5 to 0')),
  );
  const [status] = chain.describe().upstreams;
  assert.deepEqual([status?.state, status?.reason], ['lagging', 'it is at block 0']);
  await assert.rejects(
    async () => chain.execution.call({ call: { data: '0x01' }, block: LATEST }, createScope()),
    {
      kind: 'unavailable',
      message: 'no node has block 5 now: the only node is at block 0',
    },
  );
});
