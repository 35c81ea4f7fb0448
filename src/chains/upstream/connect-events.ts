import type { Cache } from '../../cache/cache.ts';
import type { Logger } from '../../observe/logger.ts';
import { contradictsChain } from '../../pool/heads/contradicts-chain.ts';
import type { NetworkHead } from '../../pool/heads/network-head.ts';
import type { SharedHeights } from '../../pool/heads/shared-heights.ts';
import type { Membership } from '../../pool/membership.ts';
import type { NetworkChainId } from '../../pool/network-chain-id.ts';
import type { PoolEvents } from '../../pool/pool-events.ts';
import { createBudgetLog } from '../../pool/spend/log-budgets.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { Agreement } from './agreement/agreement.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockResolver } from './block-resolver.ts';
import type { LocalExecutions } from './local-executions.ts';
import { hasFallen } from './reported-heads.ts';
import type { StartNotice } from './start-notice.ts';
import type { StateProofs } from './state-proofs.ts';
import type { Verification } from './verifying/open-verification.ts';

/** Duration of the first quarantine after an answer that exceeds a bound, ms. */
const EXCESS_MS = 5_000;

export type ConnectedParts = {
  readonly network: string;
  readonly isDevelopment: boolean;
  readonly log: Logger;
  readonly cache: Cache;
  readonly upstreams: readonly Upstream[];
  readonly membership: Membership;
  readonly chainId: NetworkChainId;
  readonly agreement: Agreement | undefined;
  readonly heights: SharedHeights | undefined;
  readonly head: NetworkHead<Upstream>;
  readonly notice: StartNotice;
  readonly verification: Verification;
  readonly directory: BlockDirectory;
  readonly resolver: BlockResolver;
  readonly states: StateProofs;
  /** Local execution of calls; absent if nodes execute all calls. */
  readonly local: LocalExecutions | undefined;
};

/** Connects the events of a network to its parts. Each event has one listener here, so that the parts react to it in a fixed order. */
export function connectEvents(events: PoolEvents, parts: ConnectedParts): void {
  const { network, log, upstreams, membership, agreement, heights, head, directory, resolver } = parts;
  const { verification } = parts;
  const { blocks } = verification.proofs;
  /** Updates the parts that compare nodes with the head. */
  const compareNodes = (): void => {
    agreement?.noteChange(head);
    for (const upstream of upstreams)
      upstream.apply({ kind: 'compared', isOnFork: contradictsChain(head, upstream.tracker) });
    resolver.noteChange();
  };
  events.headReported.add((upstream) => {
    // The node has another block at a served height, because of a reorg or another chain. Before the head of such a node counts again, the node is
    // identified again.
    if (!upstream.isOnFork && contradictsChain(head, upstream.tracker)) {
      upstream.apply({ kind: 'compared', isOnFork: true });
      membership.suspectForked(upstream);
    } else if (hasFallen(upstream)) {
      if (parts.isDevelopment) membership.suspectForked(upstream);
      else membership.noteFallenHead(upstream);
    }
    upstream.apply({ kind: 'headReported', number: upstream.tracker.latest?.number });
    events.changed.notify();
  });
  events.polled.add(createBudgetLog(network, log));
  events.away.add((upstream) => {
    const { name, record } = upstream;
    log.warn({ network, upstream: name, reason: record.pollFault }, 'upstream does not answer');
    events.changed.notify();
  });
  events.back.add((upstream) => {
    upstream.health.encourage();
    membership.suspectReturned(upstream);
  });
  if (blocks !== undefined) events.headerSeen.add((block) => blocks.noteHeader(block));
  events.excessive.add((upstream, { message }) =>
    membership.quarantine(upstream, `exceeded a bound: ${message}`, EXCESS_MS),
  );
  events.changed.add(() => {
    head.update();
    compareNodes();
  });
  events.replaced.add(() => {
    // `directory` is cleared before the head is reset: the reset causes requests to nodes, which already serve the new chain.
    directory.forgetChain();
    verification.forgetChain();
    head.reset();
  });
  events.orphaned.add((hashes) => {
    for (const hash of hashes) parts.cache.evictBlock(hash);
    directory.noteDeparture(hashes);
    log.info({ network, blocks: hashes.length }, 'blocks left the chain');
  });
  events.served.add(() => {
    heights?.noteServed();
    compareNodes();
    events.announced.notify();
    if (head.head === undefined) return;
    const { known } = parts.chainId;
    if (known !== undefined) parts.notice.end({ chainId: `${known}`, head: `${head.head.number}` });
    parts.states.noteHead(head.head);
    parts.local?.noteHead(head.head);
  });
  membership.reports.add(() => resolver.noteChange());
}
