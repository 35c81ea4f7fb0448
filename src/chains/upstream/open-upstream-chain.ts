import { createRelay } from '../../pool/create-upstream.ts';
import { describeChain } from '../../pool/describe-chain.ts';
import { NodeCordons } from '../../pool/node-cordons.ts';
import { createNodeMemory } from '../../pool/node-memory.ts';
import { NodePendingFeed } from '../../pool/pending/pending-feed.ts';
import { createNodeClient } from '../../pool/pool.ts';
import { PoolEvents } from '../../pool/pool-events.ts';
import { refreshHeads, startChain } from '../../pool/start-up.ts';
import { UpstreamHeads } from '../../pool/upstream-heads.ts';
import { CancelSource } from '../../util/cancel-source.ts';
import { systemClock } from '../../util/clock.ts';
import type { SharedBudget } from '../../util/shared-budget.ts';
import { createStateCache, StateRequests } from '../local-execution/proven/state-requests.ts';
import { AccessListClient } from './access-list-client.ts';
import { AccountRequests } from './account-requests.ts';
import { BlockRequests } from './block-requests.ts';
import { CallRequests } from './call-requests.ts';
import { connectEvents } from './connect-events.ts';
import { DerivedPrices } from './derived-prices.ts';
import { DevelopmentNode } from './development-node.ts';
import { FeeRequests } from './fee-requests.ts';
import { searchMerge } from './find-merge.ts';
import { HeadRequests } from './head-requests.ts';
import { UpstreamStateSource } from './local-executions.ts';
import { NodeAnswers } from './node-answers.ts';
import { openLogRequests } from './open-log-requests.ts';
import { type NetworkNodes, openNetworkNodes } from './open-network-nodes.ts';
import { type NetworkRequests, openNetworkRequests } from './open-network-requests.ts';
import { PassedRequests } from './passed-requests.ts';
import { Sending } from './sending/sending.ts';
import { StartNotice } from './start-notice.ts';
import { StateClient } from './state-client.ts';
import { StateProofs } from './state-proofs.ts';
import { StatusRequests } from './status-requests.ts';
import { TransactionRequests } from './transaction-requests.ts';
import { UpstreamChain } from './upstream-chain.ts';
import type { UpstreamChainOptions } from './upstream-chain-options.ts';

/** Parts of a network that exist before its chain. */
type Opened = {
  readonly nodeMemory: SharedBudget;
  readonly events: PoolEvents;
  readonly nodes: NetworkNodes;
  readonly requests: NetworkRequests;
  readonly heads: UpstreamHeads;
  readonly notice: StartNotice;
  /** Stops all timers and background work. */
  readonly stop: () => void;
  readonly closeNodes: () => Promise<void>;
};

/**
 * Opens the chain of a pool of nodes. The nodes need not be up yet: the chain answers when they do. If the configuration does not name the chain,
 * requests that depend on its id are refused until more than half of the operators have reported it. Resolves half a second after the start at the
 * latest, even if no node has answered.
 * @throws Error if local execution of calls is not possible
 */
export async function openUpstreamChain(options: UpstreamChainOptions): Promise<UpstreamChain> {
  const { network, pool, log } = options;
  const nodeMemory = options.nodeMemory ?? createNodeMemory();
  const events = new PoolEvents();
  const nodes = openNetworkNodes(options, nodeMemory, events);
  const { upstreams, chainId, membership, agreement, heights, head, explain } = nodes;
  const requests = openNetworkRequests(options, nodes);
  const { verification } = requests;
  const pending = new NodePendingFeed({
    network,
    nodes: upstreams,
    log,
    clock: systemClock,
    ...(agreement?.demanded !== undefined && { voices: agreement.demanded.needed }),
  });
  const heads = new UpstreamHeads(head, pending, events.announced, explain);
  const notice = new StartNotice({ network, log, explain });
  const stopping = new CancelSource();
  const stop = (): void => {
    stopping.abort();
    agreement?.close();
    notice.close();
    verification.close();
    membership.close();
    heights?.close();
    head.stop();
    heads.close();
  };
  const closeNodes = async (): Promise<void> => {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  };
  try {
    const chain = createChain(options, {
      nodeMemory,
      events,
      nodes,
      requests,
      heads,
      notice,
      stop,
      closeNodes,
    });
    void searchMerge(requests.parts.directory, head, stopping);
    await startChain({
      pool,
      upstreams,
      membership,
      chainId,
      head,
      stopping,
      onChange: () => events.changed.notify(),
      async calibrate() {
        const calibrating = verification.calibrate().finally(() => events.calibrated.notify());
        if (options.verify === 'require') await calibrating;
      },
    });
    return chain;
  } catch (error) {
    stop();
    await closeNodes();
    throw error;
  }
}

/**
 * Creates the chain, and connects the events of the network to all of its parts.
 * @throws Error if local execution of calls is not possible
 */
function createChain(options: UpstreamChainOptions, opened: Opened): UpstreamChain {
  const { network, pool, cache, log } = options;
  const { nodeMemory, events, nodes, requests, heads, notice, stop, closeNodes } = opened;
  const { upstreams, chainId, agreement, head, refute, explain } = nodes;
  const { parts, verification, sent } = requests;
  const { resolver, directory, proofs } = parts;
  const state = new StateRequests(
    new StateClient(parts),
    createStateCache({
      ...options.provenState,
      onFault: (err) => log.error({ network, err }, 'contract codes cannot be stored on disk'),
    }),
    { lists: new AccessListClient(parts) },
  );
  const states = new StateProofs(parts, state);
  const local = options.openExecutions?.(
    new UpstreamStateSource(
      chainId,
      state,
      parts,
      proofs.trust,
      (node, blockHash, evidence) => {
        refute(node, evidence);
        // The node's refuted answers about the block may be cached.
        cache.evictBlock(blockHash);
      },
      agreement?.voices.needed,
    ),
  );
  connectEvents(events, {
    ...nodes,
    network,
    isDevelopment: pool.development,
    log,
    cache,
    notice,
    verification,
    directory,
    resolver,
    states,
    local,
  });
  const headRequests = new HeadRequests(parts, pool.development);
  const blocks = new BlockRequests(parts);
  const where = { headHash: () => head.head?.hash, refresh: () => refreshHeads(upstreams) };
  const answers = new NodeAnswers({
    blocks,
    transactions: new TransactionRequests(parts, blocks),
    state: new AccountRequests(parts, states),
    where,
  });
  const sendToNode = createNodeClient({ network, options: pool, log });
  const { sending: send } = options;
  const sending = new Sending({
    ...send,
    records: send.records,
    chainId,
    isDevelopment: pool.development,
    upstreams,
    relay: send.options.private && createRelay(send.options.private, pool, nodeMemory),
    sendToNode,
    sent,
    answers,
    heads,
    directory,
    refreshHeads: where.refresh,
  });
  const isAnswerable = (): boolean =>
    head.head !== undefined &&
    !head.isExpired &&
    upstreams.some((upstream) => upstream.isUp && !upstream.isBehind && !upstream.isOutOfUse);
  return new UpstreamChain({
    chainId,
    sending,
    calls: new CallRequests(parts, local),
    local,
    development: pool.development
      ? new DevelopmentNode({ upstreams, sendToNode, onChanged: () => sending.forget() })
      : undefined,
    answers,
    logs: openLogRequests(parts, {
      ...options,
      blocks,
      upstreams,
      headNumber: () => head.head?.number ?? 0n,
    }),
    others: new PassedRequests(parts),
    fees: new FeeRequests(parts, headRequests, new DerivedPrices(blocks)),
    status: new StatusRequests(resolver, headRequests),
    isAnswerable,
    nodes: new NodeCordons({
      upstreams,
      head,
      neededOperators: agreement?.demanded?.needed,
      sendsTo:
        send.options.private !== undefined || typeof send.options.to === 'string'
          ? undefined
          : send.options.to,
      onChange: () => events.changed.notify(),
    }),
    heads,
    layer1: verification.layer1,
    calibrated: new Promise<void>((resolve) => void events.calibrated.add(resolve)),
    where,
    describe: () => ({
      ...describeChain(head, upstreams, pool.development),
      ...(chainId.known !== undefined && { chainId: `${chainId.known}` }),
      ...(!isAnswerable() && { outage: explain() }),
      ...verification.describe(),
      ...(agreement !== undefined && { agreement: agreement.describe(head) }),
      provenState: { warmed: state.warmUp.count, rolled: state.rolled, bytes: state.bytes },
      ...(local !== undefined && { execution: local.describe() }),
    }),
    async close() {
      stop();
      await sending.close();
      await closeNodes();
    },
  });
}
