import type { JsonBytes, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Cache, CacheKey } from '../../../src/cache/cache.ts';
import type { HeadReads } from '../../../src/chain/chain.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../../../src/chain/log-range.ts';
import { AccountRequests } from '../../../src/chains/upstream/account-requests.ts';
import { BlockDirectory } from '../../../src/chains/upstream/block-directory.ts';
import { BlockRequests } from '../../../src/chains/upstream/block-requests.ts';
import { BlockResolver } from '../../../src/chains/upstream/block-resolver.ts';
import { CallRequests } from '../../../src/chains/upstream/call-requests.ts';
import type { LogContradiction } from '../../../src/chains/upstream/checks/read-block-logs.ts';
import { DerivedPrices } from '../../../src/chains/upstream/derived-prices.ts';
import { FeeRequests } from '../../../src/chains/upstream/fee-requests.ts';
import { HeadRequests } from '../../../src/chains/upstream/head-requests.ts';
import { LogRequests } from '../../../src/chains/upstream/log-requests.ts';
import { NodeAnswers } from '../../../src/chains/upstream/node-answers.ts';
import { PassedRequests } from '../../../src/chains/upstream/passed-requests.ts';
import { aimPending } from '../../../src/chains/upstream/sending/aim-pending.ts';
import { DEFAULT_SEND, type SendSectionOptions } from '../../../src/chains/upstream/sending/options.ts';
import { Sending } from '../../../src/chains/upstream/sending/sending.ts';
import { SentTransactions } from '../../../src/chains/upstream/sending/sent-transactions.ts';
import { StatusRequests } from '../../../src/chains/upstream/status-requests.ts';
import { TransactionRequests } from '../../../src/chains/upstream/transaction-requests.ts';
import { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { HeadReport } from '../../../src/pool/heads/electorate.ts';
import type { NetworkHead } from '../../../src/pool/heads/network-head.ts';
import { type PoolOptions, poolOptionsSchema } from '../../../src/pool/options.ts';
import { createNodeClient } from '../../../src/pool/pool.ts';
import { SENDING_TOOLS } from '../../../src/service/sending-tools.ts';
import type { RecordTable } from '../../../src/shared-store/records/record-table.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { createMemory, openWholePool } from './pool.ts';
import { createHead, type ScriptedChain } from './scripted-chain.ts';
import { createNode, type ScriptedNode } from './scripted-node.ts';
import { createStateProofs } from './state-proofs.ts';

export type NetworkScript = {
  readonly tags?: PoolOptions['tags'];
  readonly cache?: Cache;
  readonly retries?: number;
  readonly options?: Partial<PoolOptions>;
  readonly limits?: LogLimits;
  readonly send?: Partial<SendSectionOptions>;
  readonly records?: RecordTable;
  readonly relay?: ScriptedNode;
  readonly now?: () => number;
  readonly isDevelopment?: boolean;
  /** Hook of a refresh of the nodes' heads. */
  readonly refreshHeads?: () => Promise<void>;
};

/** Parts of a network of scripted nodes. */
export type ScriptedNetwork = {
  readonly chain: UpstreamChain;
  readonly directory: BlockDirectory;
  readonly resolver: BlockResolver;
  readonly head: NetworkHead;
  readonly sending: Sending;
  readonly node: ScriptedNode;
  readonly nodes: readonly ScriptedNode[];
  /** Reported contradictions between headers and logs. */
  readonly bloomless: readonly LogContradiction[];
  /** Requests that the nodes received, in order, as `method params`. */
  requested(): string[];
  /** From now on the nodes have this chain and report it. */
  switchTo(chain: ScriptedChain, marks?: Partial<HeadReport>): void;
  /** The nodes report this chain, but answer as before. */
  moveHead(chain: ScriptedChain): void;
};

/** The real request classes and the real pool, over nodes that all have the same chain. */
export function createNetwork(
  scripted: ScriptedChain,
  {
    tags = {},
    cache = createMemory(),
    retries = 0,
    options = {},
    limits = DEFAULT_LOG_LIMITS,
    send = {},
    records,
    relay,
    isDevelopment = false,
    now = () => performance.now(),
    refreshHeads = async () => {},
  }: NetworkScript = {},
  nodes: readonly ScriptedNode[] = [createNode(scripted.behaviour())],
): ScriptedNetwork {
  let report = scripted.report();
  const head = createHead(
    () => [report],
    (hashes) => {
      for (const hash of hashes) cache.evictBlock(hash);
      directory.noteDeparture(hashes);
    },
  );
  const { ask: sendToPool, sendCoalesced } = openWholePool(nodes, {
    cache,
    options: { ...options, retries },
  });
  const sent = new SentTransactions(() => performance.now());
  const ask = aimPending(sendToPool, {
    upstreams: nodes.map(({ upstream }) => upstream),
    served: head,
    sent,
  });
  const directory = new BlockDirectory(ask, head, (hash) => {
    for (const { upstream } of nodes) {
      const number = upstream.tracker.numberOf(hash);
      if (number !== undefined) return number;
    }
    return undefined;
  });
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
    sendCoalesced,
    keep: (key: CacheKey, answer: JsonText | JsonBytes) => cache.set(key, answer),
    resolver,
    directory,
  };
  const headRequests = new HeadRequests(parts);
  const blocks = new BlockRequests(parts);
  const bloomless: LogContradiction[] = [];
  const listeners = new Set<() => void>();
  const heads: HeadReads = {
    get served() {
      return head.head;
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    watchPending: () => undefined,
  };
  const where = { headHash: () => head.head?.hash, refresh: refreshHeads };
  const answers = new NodeAnswers({
    blocks,
    transactions: new TransactionRequests(parts, blocks),
    state: new AccountRequests(parts, createStateProofs(parts)),
    where,
  });
  const sending = new Sending({
    chainId: { value: 1n },
    isDevelopment: isDevelopment || options.development === true,
    upstreams: nodes.map(({ upstream }) => upstream),
    options: { ...DEFAULT_SEND, rules: 'form', ...send },
    tools: SENDING_TOOLS,
    relay: relay?.upstream,
    sendToNode: createNodeClient({
      network: 'test',
      options: { ...poolOptionsSchema.parse({}), ...options },
      log: createRecordingLog(),
    }),
    sent,
    answers,
    heads,
    directory,
    refreshHeads,
    records,
  });
  const chain = new UpstreamChain({
    chainId: { value: 1n, find: () => 1n },
    sending,
    calls: new CallRequests(parts),
    answers,
    logs: new LogRequests({
      ...parts,
      limits,
      now,
      onBloomless: (kind) => void bloomless.push(kind),
      maxBlocks: () => Math.max(...nodes.map(({ upstream }) => upstream.logSpan.limit)),
    }),
    others: new PassedRequests(parts),
    fees: new FeeRequests(parts, headRequests, new DerivedPrices(blocks)),
    status: new StatusRequests(resolver, headRequests),
    isAnswerable: () => true,
    heads,
    where,
    describe: () => ({ head: undefined, upstreams: [] }),
    close: async () => head.stop(),
  });
  const moveHead = (next: ScriptedChain, marks: Partial<HeadReport> = {}): void => {
    report = { ...next.report(), ...marks };
    head.update();
    for (const listener of listeners) listener();
  };
  return {
    chain,
    moveHead,
    directory,
    resolver,
    head,
    sending,
    node: nodes[0] as ScriptedNode,
    nodes,
    bloomless,
    requested: () =>
      nodes.flatMap(({ requested }) => requested.calls.map(({ method, params }) => `${method} ${params}`)),
    switchTo(next, marks = {}) {
      for (const node of nodes) node.behave(next.behaviour());
      moveHead(next, marks);
    },
  };
}
