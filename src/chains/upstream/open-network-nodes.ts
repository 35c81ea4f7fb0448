import { createUpstream } from '../../pool/create-upstream.ts';
import { nameUpstream } from '../../pool/endpoint.ts';
import { CanonicalChain } from '../../pool/heads/canonical-chain.ts';
import { NetworkHead } from '../../pool/heads/network-head.ts';
import { SharedHeights } from '../../pool/heads/shared-heights.ts';
import { Membership } from '../../pool/membership.ts';
import { NetworkChainId } from '../../pool/network-chain-id.ts';
import type { PoolEvents } from '../../pool/pool-events.ts';
import { readConfigured, refreshHeads } from '../../pool/start-up.ts';
import type { Upstream } from '../../pool/upstream.ts';
import { watchFalls, watchFloor, watchHead } from '../../pool/watch-head.ts';
import { systemClock } from '../../util/clock.ts';
import type { SharedBudget } from '../../util/shared-budget.ts';
import type { Agreement } from './agreement/agreement.ts';
import { explainWithout, openAgreement } from './agreement/open-agreement.ts';
import type { UpstreamChainOptions } from './upstream-chain-options.ts';

/** Time after which a wrong head is dropped when no upstream has it any more, ms. */
const GIVE_UP_MS = 30_000;
/** Duration of the first quarantine after an answer that its block refutes, ms. */
const REFUTED_MS = 60_000;

/** Nodes of a network, and the head that is chosen from their reports. */
export type NetworkNodes = {
  readonly upstreams: readonly Upstream[];
  readonly chainId: NetworkChainId;
  readonly membership: Membership;
  readonly agreement: Agreement | undefined;
  /** Heights of the heads that other processes serve; absent if only one process serves the chain. */
  readonly heights: SharedHeights | undefined;
  readonly head: NetworkHead<Upstream>;
  /**
   * Quarantines a node, because it has returned a refuted answer.
   * @param evidence end of a sentence about the refuted answer, for example "about block 0x…: …"
   */
  refute(upstream: Upstream, evidence: string): void;
  /** Explains why no call can be answered now. */
  explain(): string;
};

/**
 * Creates the nodes of a network and the parts that elect its head. No request is sent before `startChain`.
 * @param events notified of all changes of nodes and of the head
 */
export function openNetworkNodes(
  options: UpstreamChainOptions,
  nodeMemory: SharedBudget,
  events: PoolEvents,
): NetworkNodes {
  const { network, pool, log } = options;
  const served = new CanonicalChain();
  const upstreams = options.upstreams.map((row, position) => {
    const spend = options.spending?.open(network, nameUpstream(row, position), row);
    return createUpstream(row, position, pool, nodeMemory, systemClock, events, spend);
  });
  const configured = readConfigured(pool);
  const chainId = new NetworkChainId(upstreams, configured);
  const membership = new Membership({
    upstreams,
    network,
    log,
    isDevelopment: pool.development,
    configured,
    hasHead: () => served.head !== undefined,
    onFallConfirmed: watchFalls(network, log, upstreams, served),
    onChange: () => events.changed.notify(),
    onReplaced: () => events.replaced.notify(),
  });
  const agreement = openAgreement(options, upstreams);
  const heights =
    options.heights &&
    new SharedHeights({
      table: options.heights,
      name: () => `${network}/${chainId.known}/${membership.genesisHash}`,
      clock: systemClock,
      height: () => served.head?.number,
      refresh: () => refreshHeads(upstreams),
      onAdmitted: () => events.changed.notify(),
      ...watchFloor(network, log, served),
    });
  const head = new NetworkHead<Upstream>(
    {
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
      ...watchHead(network, log, upstreams, served),
      onOrphaned: (hashes) => events.orphaned.notify(hashes),
      onServed: () => events.served.notify(),
      clock: systemClock,
    },
    served,
  );
  return {
    upstreams,
    chainId,
    membership,
    agreement,
    heights,
    head,
    refute: (upstream, evidence) =>
      membership.quarantine(upstream, `returned a refuted answer ${evidence}`, REFUTED_MS),
    explain: () =>
      chainId.known === undefined ? chainId.explain() : explainWithout(agreement, head, upstreams),
  };
}
