import type { Cache, CacheKey } from '../../../src/cache/cache.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../../../src/chain/log-range.ts';
import { BlockDirectory } from '../../../src/upstream/block-directory.ts';
import { BlockQuestions } from '../../../src/upstream/block-questions.ts';
import { BlockResolver } from '../../../src/upstream/block-resolver.ts';
import { CallQuestions } from '../../../src/upstream/call-questions.ts';
import { FeeQuestions } from '../../../src/upstream/fee-questions.ts';
import { HeadQuestions } from '../../../src/upstream/head-questions.ts';
import type { HeadReport } from '../../../src/upstream/heads/electorate.ts';
import type { NetworkHead } from '../../../src/upstream/heads/network-head.ts';
import { LogQuestions } from '../../../src/upstream/log-questions.ts';
import type { PoolOptions } from '../../../src/upstream/options.ts';
import { OtherQuestions } from '../../../src/upstream/other-questions.ts';
import { StateQuestions } from '../../../src/upstream/state-questions.ts';
import { StatusQuestions } from '../../../src/upstream/status-questions.ts';
import { TransactionQuestions } from '../../../src/upstream/transaction-questions.ts';
import { UpstreamChain } from '../../../src/upstream/upstream-chain.ts';
import { createMemory, poolOf } from './pool.ts';
import { createHead, type ScriptedChain } from './scripted-chain.ts';
import { createNode, type ScriptedNode } from './scripted-node.ts';

export type NetworkScript = {
  readonly tags?: PoolOptions['tags'];
  readonly cache?: Cache;
  readonly retries?: number;
  readonly options?: Partial<PoolOptions>;
  readonly limits?: LogLimits;
};

/** What a network of scripted nodes is made of. */
export type ScriptedNetwork = {
  readonly chain: UpstreamChain;
  readonly directory: BlockDirectory;
  readonly resolver: BlockResolver;
  readonly head: NetworkHead;
  readonly node: ScriptedNode;
  readonly nodes: readonly ScriptedNode[];
  /** Methods that the nodes were asked for, in order, as `method params`. */
  asked(): string[];
  /** From here on the nodes have this chain and say so. */
  switchTo(chain: ScriptedChain, marks?: Partial<HeadReport>): void;
};

/** The real questions and the real pool, over nodes that all have the same chain. */
export function createNetwork(
  scripted: ScriptedChain,
  {
    tags = {},
    cache = createMemory(),
    retries = 0,
    options = {},
    limits = DEFAULT_LOG_LIMITS,
  }: NetworkScript = {},
  nodes: readonly ScriptedNode[] = [createNode(scripted.behaviour())],
): ScriptedNetwork {
  let report = scripted.report();
  const head = createHead(
    () => [report],
    (hashes) => {
      for (const hash of hashes) cache.evictBlock(hash);
      directory.forgetNumbers();
    },
  );
  const ask = poolOf(nodes, { cache, options: { ...options, retries } });
  const directory = new BlockDirectory(ask, head);
  const resolver = new BlockResolver({
    head,
    directory,
    tags,
    genesisHash: () => scripted.hashOf(0),
    mayBeKnown: () => true,
    explainOutage: () => 'the only node does not answer',
  });
  const parts = {
    cacheScope: () => '1',
    ask,
    keep: (key: CacheKey, text: string) => cache.set(key, text),
    resolver,
    directory,
  };
  const heads = new HeadQuestions(parts);
  const chain = new UpstreamChain({
    chainId: 1n,
    calls: new CallQuestions(parts),
    blocks: new BlockQuestions(parts),
    transactions: new TransactionQuestions(parts),
    logs: new LogQuestions({
      ...parts,
      limits,
      maxBlocks: () => Math.max(...nodes.map(({ upstream }) => upstream.logSpan.limit)),
    }),
    others: new OtherQuestions(parts),
    state: new StateQuestions(parts),
    fees: new FeeQuestions(parts, heads),
    status: new StatusQuestions(resolver, heads),
    isAnswerable: () => true,
    where: { headHash: () => head.head?.hash, refresh: async () => {} },
    describe: () => ({ head: undefined, upstreams: [] }),
    close: async () => head.stop(),
  });
  return {
    chain,
    directory,
    resolver,
    head,
    node: nodes[0] as ScriptedNode,
    nodes,
    asked: () => nodes.flatMap(({ asked }) => asked.calls.map(({ method, params }) => `${method} ${params}`)),
    switchTo(next, marks = {}) {
      for (const node of nodes) node.behave(next.behaviour());
      report = { ...next.report(), ...marks };
      head.update();
    },
  };
}
