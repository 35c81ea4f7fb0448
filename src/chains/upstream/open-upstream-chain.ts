import type { JsonBytes, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { CacheKey } from '../../cache/cache.ts';
import { createRelay, createUpstream } from '../../pool/create-upstream.ts';
import { describeChain } from '../../pool/describe-chain.ts';
import { contradictsChain } from '../../pool/heads/contradicts-chain.ts';
import { NetworkHead } from '../../pool/heads/network-head.ts';
import { SharedHeights } from '../../pool/heads/shared-heights.ts';
import { Membership } from '../../pool/membership.ts';
import { NetworkChainId } from '../../pool/network-chain-id.ts';
import { createNodeMemory } from '../../pool/node-memory.ts';
import { NodePendingFeed } from '../../pool/pending/pending-feed.ts';
import { createNodeClient, createPool } from '../../pool/pool.ts';
import { readConfigured, refreshHeads, startChain } from '../../pool/start-up.ts';
import type { Upstream } from '../../pool/upstream.ts';
import { UpstreamHeads } from '../../pool/upstream-heads.ts';
import { watchFalls, watchFloor, watchHead } from '../../pool/watch-head.ts';
import { CancelSource } from '../../util/cancel-source.ts';
import { systemClock } from '../../util/clock.ts';
import { createStateCache, StateRequests } from '../local-execution/proven/state-requests.ts';
import { AccessListClient } from './access-list-client.ts';
import { AccountRequests } from './account-requests.ts';
import { explainWithout, openAgreement } from './agreement/open-agreement.ts';
import { createSendToVoices } from './agreement/send-to-voices.ts';
import { BlockDirectory } from './block-directory.ts';
import { BlockRequests } from './block-requests.ts';
import { BlockResolver } from './block-resolver.ts';
import { CallRequests } from './call-requests.ts';
import { DerivedPrices } from './derived-prices.ts';
import { DevelopmentNode } from './development-node.ts';
import { FeeRequests } from './fee-requests.ts';
import { searchMerge } from './find-merge.ts';
import { HeadRequests } from './head-requests.ts';
import { type LocalExecutions, UpstreamStateSource } from './local-executions.ts';
import { openLogRequests } from './open-log-requests.ts';
import { PassedRequests } from './passed-requests.ts';
import { findReported, hasFallen, mayReportHead } from './reported-heads.ts';
import { aimPending } from './sending/aim-pending.ts';
import { Sending } from './sending/sending.ts';
import { StartNotice } from './start-notice.ts';
import { StateClient } from './state-client.ts';
import { StateProofs } from './state-proofs.ts';
import { StatusRequests } from './status-requests.ts';
import { TransactionRequests } from './transaction-requests.ts';
import { UpstreamChain } from './upstream-chain.ts';
import type { UpstreamChainOptions } from './upstream-chain-options.ts';
import { openVerification } from './verifying/open-verification.ts';

/** Time after which a wrong head is dropped when no upstream has it any more. */
const GIVE_UP_MS = 30_000;
/** Duration of the first quarantine after an answer that its block refutes; `EXCESS_MS`: after an answer that exceeds a bound. */
const REFUTED_MS = 60_000;
const EXCESS_MS = 5_000;

/**
 * Opens the chain of a pool of nodes. The nodes need not be up yet: the chain answers when they do. If the configuration does not name the chain,
 * requests that depend on its id are refused until more than half of the operators have reported it. Waits half a second for the nodes.
 * @throws Error if local execution of calls is not possible
 */
export async function openUpstreamChain(options: UpstreamChainOptions): Promise<UpstreamChain> {
  const { network, pool, cache, log } = options;
  const nodeMemory = options.nodeMemory ?? createNodeMemory();
  const complete = (): void => {
    agreement?.noteChange();
    for (const upstream of upstreams)
      upstream.apply({ kind: 'compared', isOnFork: contradictsChain(head, upstream.tracker) });
    resolver.noteChange();
  };
  const update = (): void => {
    head.update();
    complete();
  };
  const refute = (upstream: Upstream, evidence: string): void =>
    membership.quarantine(upstream, `returned a refuted answer ${evidence}`, REFUTED_MS);
  const upstreams = options.upstreams.map((row, position) =>
    createUpstream(row, position, pool, nodeMemory, systemClock, {
      onHead(upstream) {
        // The node has another block at a served height, because of a reorg or another chain. It is identified again before its head counts.
        if (!upstream.isOnFork && contradictsChain(head, upstream.tracker)) {
          upstream.apply({ kind: 'compared', isOnFork: true });
          membership.suspectForked(upstream);
        } else if (hasFallen(upstream)) {
          if (pool.development) membership.suspectForked(upstream);
          else membership.noteFallenHead(upstream);
        }
        upstream.apply({ kind: 'headReported', number: upstream.tracker.latest?.number });
        update();
      },
      onAway(upstream) {
        log.warn({ network, upstream: upstream.name }, 'upstream does not answer');
        update();
      },
      onBack(upstream) {
        upstream.health.encourage();
        membership.suspectReturned(upstream);
      },
      onBlock: (block) => proofs.blocks?.noteHeader(block),
      isHeadAwaited: () => heads.isWatched,
      onExcessive: (upstream, { message }) =>
        membership.quarantine(upstream, `exceeded a bound: ${message}`, EXCESS_MS),
    }),
  );
  const agreement = openAgreement(options, upstreams, () => head);
  const heights =
    options.heights &&
    new SharedHeights({
      table: options.heights,
      name: () => `${network}/${chainId.known}/${membership.genesisHash}`,
      clock: systemClock,
      height: () => head.head?.number,
      refresh: () => refreshHeads(upstreams),
      onAdmitted: () => update(),
      ...watchFloor(network, log, () => head),
    });
  const head: NetworkHead<Upstream> = new NetworkHead<Upstream>({
    admission: heights,
    share: pool.headShare,
    agreement: agreement?.forHead,
    maxLagBlocks: pool.maxLagBlocks,
    maxLagMs: pool.maxLagTime,
    headAgeMs: pool.headAge,
    giveUpMs: GIVE_UP_MS,
    isDevelopment: pool.development,
    candidates: () => upstreams.filter((upstream) => upstream.countsForHead),
    wallTime: () => Date.now(),
    ...watchHead(network, log, upstreams, () => head),
    onOrphaned(hashes) {
      for (const hash of hashes) cache.evictBlock(hash);
      directory.noteDeparture(hashes);
      log.info({ network, blocks: hashes.length }, 'blocks left the chain');
    },
    onServed() {
      heights?.noteServed();
      complete();
      heads.noteChange();
      if (head.head === undefined) return;
      if (chainId.known !== undefined)
        notice.end({ chainId: `${chainId.known}`, head: `${head.head.number}` });
      states?.noteHead(head.head);
      local?.noteHead(head.head);
    },
    clock: systemClock,
  });
  let sending: Sending | undefined;
  let local: LocalExecutions | undefined;
  let states: StateProofs | undefined;
  const { ask: sendToPool, sendCoalesced } = createPool({
    network,
    upstreams,
    options: pool,
    cache,
    isFinal: (height) => height <= (head.finalized?.number ?? -1n),
    voices: agreement?.demanded,
    log,
    ...(options.verify !== 'off' && {
      acceptRules: (refutation, call) => verification.acceptRules(refutation, call.block),
    }),
  });
  const ask = aimPending((context) => chainId.gate(context, sendToPool), {
    upstreams,
    head: () => head.head,
    findPreferred: (call, scope) => sending?.findPreferred(call, scope),
  });
  const directory: BlockDirectory = new BlockDirectory(ask, head, (hash) => findReported(upstreams, hash), {
    check: (block, result, upstream) => proofs.blocks?.check(block, result, false, upstream) ?? result,
    noteOther: (block, upstream) => proofs.verifier?.noteOther(block, upstream),
    findHeader: (hash) => proofs.blocks?.findHeader(hash),
    get links() {
      return verification.anchor?.links;
    },
    get absence() {
      return proofs.absence;
    },
    get agreed() {
      return verification.agreed;
    },
    voices: agreement?.voices,
  });
  const verification = openVerification({
    ...options,
    ask,
    upstreams,
    agreement,
    isConfirmed: (hash) => directory.isConfirmed(hash),
    recoverPublicKey: options.sending.tools.recoverPublicKey,
    refute: (upstream, evidence) => refute(upstream, evidence),
    head: () => head.head,
  });
  const { proofs } = verification;
  const pending = new NodePendingFeed({
    network,
    nodes: upstreams,
    log,
    clock: systemClock,
    ...(agreement?.demanded !== undefined && { voices: agreement.demanded.needed }),
  });
  const heads = new UpstreamHeads(head, pending, () => explain());
  const configured = readConfigured(pool);
  const chainId = new NetworkChainId(upstreams, configured);
  const explain = (): string =>
    chainId.known === undefined ? chainId.explain() : explainWithout(agreement, head, upstreams);
  const notice = new StartNotice({ network, log, explain });
  const membership: Membership = new Membership({
    upstreams,
    network,
    log,
    isDevelopment: pool.development,
    configured,
    hasHead: () => head.head !== undefined,
    onFallConfirmed: watchFalls(network, log, upstreams, () => head),
    onChange: update,
    onReplaced() {
      // The directory is cleared before the head is reset, because the requests that follow go to the new chain.
      directory.forgetChain();
      verification.forgetChain();
      head.reset();
    },
  });
  const resolver = new BlockResolver({
    head,
    heights,
    directory,
    tags: pool.tags,
    genesisHash: () => membership.genesisHash,
    mayBeKnown: () =>
      membership.hasBegun
        ? upstreams.some((upstream) => mayReportHead(upstream, head))
        : chainId.known !== undefined || chainId.mayBeReported,
    explainOutage: explain,
  });
  membership.reports.add(() => resolver.noteChange());
  const stopping = new CancelSource();
  const close = async (): Promise<void> => {
    stopping.abort();
    agreement?.close();
    notice.close();
    verification.close();
    membership.close();
    heights?.close();
    head.stop();
    heads.close();
    await sending?.close();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  };
  let noteCalibrated = (): void => {};
  const calibrated = new Promise<void>((resolve) => {
    noteCalibrated = resolve;
  });
  void searchMerge(directory, head, stopping);
  const parts = {
    // A development node may be another chain with the same id after a restart.
    cacheScope: pool.development
      ? () => `${chainId.value}@${membership.genesisHash}`
      : () => `${chainId.value}`,
    ask,
    sendToVoices: agreement?.demanded && createSendToVoices(ask, agreement.demanded),
    sendCoalesced,
    keep: (key: CacheKey, answer: JsonText | JsonBytes) => cache.set(key, answer),
    recall: (key: CacheKey) => cache.get(key),
    proofs,
    resolver,
    directory,
  };
  const onFault = (err: unknown): void =>
    log.error({ network, err }, 'contract codes cannot be stored on disk');
  const requests = new StateRequests(
    new StateClient(parts),
    createStateCache({ ...options.provenState, onFault }),
    { lists: new AccessListClient(parts) },
  );
  states = new StateProofs(parts, requests);
  try {
    local = options.openExecutions?.(
      new UpstreamStateSource(
        chainId,
        requests,
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
  } catch (error) {
    await close();
    throw error;
  }
  const headRequests = new HeadRequests(parts, pool.development);
  const isAnswerable = (): boolean =>
    head.head !== undefined &&
    !head.isExpired &&
    upstreams.some((upstream) => upstream.isUp && !upstream.isBehind);
  const blocks = new BlockRequests(parts);
  const sendToNode = createNodeClient({ network, options: pool, log });
  sending = new Sending({
    ...options.sending,
    records: options.sending.records,
    get chainId() {
      return chainId.value;
    },
    isDevelopment: pool.development,
    upstreams,
    relay: options.sending.options.private && createRelay(options.sending.options.private, pool, nodeMemory),
    sendToNode,
    directory,
    refreshHeads: () => refreshHeads(upstreams),
    chain: () => chain,
  });
  const chain: UpstreamChain = new UpstreamChain({
    chainId,
    sending,
    calls: new CallRequests(parts, local),
    local,
    development: pool.development
      ? new DevelopmentNode({ upstreams, sendToNode, onChanged: () => sending?.forget() })
      : undefined,
    blocks,
    transactions: new TransactionRequests(parts, blocks),
    logs: openLogRequests(parts, {
      ...options,
      blocks,
      upstreams,
      headNumber: () => head.head?.number ?? 0n,
    }),
    others: new PassedRequests(parts),
    state: new AccountRequests(parts, states),
    fees: new FeeRequests(parts, headRequests, new DerivedPrices(blocks)),
    status: new StatusRequests(resolver, headRequests),
    isAnswerable,
    heads,
    layer1: verification.layer1,
    calibrated,
    where: { headHash: () => head.head?.hash, refresh: () => refreshHeads(upstreams) },
    describe: () => ({
      ...describeChain(head, upstreams),
      ...(chainId.known !== undefined && { chainId: `${chainId.known}` }),
      ...(!isAnswerable() && { outage: explain() }),
      ...verification.describe(),
      ...(agreement !== undefined && { agreement: agreement.describe() }),
      provenState: { warmed: requests.warmUp.count, rolled: requests.rolled, bytes: requests.bytes },
      ...(local !== undefined && { execution: local.describe() }),
    }),
    close,
  });
  await startChain({
    pool,
    upstreams,
    membership,
    chainId,
    head,
    stopping,
    onChange: update,
    async calibrate() {
      const calibrating = verification.calibrate().finally(noteCalibrated);
      if (options.verify === 'require') await calibrating;
    },
  });
  return chain;
}
