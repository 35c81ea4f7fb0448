import type { Logger } from '../observe/logger.ts';
import type { BlockHeader } from './heads/block.ts';
import type { CanonicalChain } from './heads/canonical-chain.ts';
import type { Vote } from './heads/electorate.ts';
import type { FloorTrustOptions } from './heads/floor-trust.ts';
import type { HeadHindrance, NetworkHeadOptions } from './heads/network-head-options.ts';
import { describeState, explainOutage } from './node-state.ts';
import type { Upstream } from './upstream.ts';

type Watched = Pick<
  NetworkHeadOptions<Upstream>,
  'onVote' | 'onUnlinked' | 'onAhead' | 'onExpiry' | 'onAbandoned'
>;

/**
 * Votes that are logged as warnings, because the node is behind. A node that is in a lower tier, or that has not reported a block yet, is not a
 * problem.
 */
const BEHIND: ReadonlySet<Vote> = new Set<Vote>(['syncing', 'lagging']);

const NOT_SERVED: Readonly<Record<HeadHindrance, string>> = {
  age: 'no upstream has had the head for pool.headAge: it is no longer served',
  voices: 'fewer operators have the head than agreement demands: it is not served',
  stalled:
    'for pool.headAge, fewer operators than agreement demands have had blocks above the head: it is no longer served',
};

/**
 * Logs changes of a network's head and of the nodes' votes, one line each. If a node seems to be far ahead, also requests from it the block that its
 * chain must contain.
 */
export function watchHead(
  network: string,
  log: Logger,
  upstreams: readonly Upstream[],
  served: Pick<CanonicalChain, 'head'>,
): Watched {
  return {
    onVote(upstream, before, leader) {
      const { name, vote, tracker } = upstream;
      const { head } = served;
      const fields = {
        network,
        upstream: name,
        tier: upstream.tier,
        block: tracker.latest?.number.toString(),
        head: head?.number.toString(),
      };
      if (BEHIND.has(vote)) {
        const reference = vote === 'lagging' ? findReference(head, leader) : undefined;
        const behind = reference === undefined ? '' : `, the leader is at ${reference}`;
        const reason = `it ${describeState(upstream, undefined).reason}${behind}`;
        log.warn({ ...fields, reason }, 'upstream has no vote in the head');
      } else if (vote === 'votes' && before !== 'silent') log.info(fields, 'upstream has a vote in the head');
      else if (vote === 'lowerTier' && upstreams.some((other) => decidesBefore(other, upstream)))
        log.info(fields, 'upstream is in reserve: a better tier decides the head');
    },
    onUnlinked: ({ tracker }, number) => void tracker.showBlock(number),
    onAhead({ name, tracker }, isAhead) {
      const block = tracker.latest?.number.toString();
      const fields = { network, upstream: name, block, head: served.head?.number.toString() };
      if (isAhead)
        log.warn(
          fields,
          'upstream is far ahead of a majority near the served head: either may be wrong, and the head stays',
        );
      else log.info(fields, 'upstream is no longer far ahead of a majority');
    },
    onExpiry({ number }, hindrance) {
      const fields = { network, head: number.toString() };
      if (hindrance === undefined) log.info(fields, 'the head is served again');
      else log.error({ ...fields, reason: explainOutage(upstreams) }, NOT_SERVED[hindrance]);
    },
    onAbandoned(from, to) {
      const fields = { network, from: from.number.toString(), to: to.number.toString() };
      log.warn(fields, 'the served head was wrong: later blocks are not on its chain');
    },
  };
}

/** Returns the number of the block that a lagging node is compared with. */
function findReference(...blocks: readonly (BlockHeader | undefined)[]): bigint | undefined {
  let highest: bigint | undefined;
  for (const block of blocks) {
    if (block !== undefined && (highest === undefined || block.number > highest)) highest = block.number;
  }
  return highest;
}

/**
 * Whether a node of a better tier has a vote and has reported a block. Directly after the start, the vote of a node without a block may still change.
 */
function decidesBefore({ tier, vote, tracker }: Upstream, reserve: Upstream): boolean {
  return (tier < reserve.tier || reserve.isReserve) && vote === 'votes' && tracker.latest !== undefined;
}

/**
 * Logs once per head that the only node of a network went back below the served head. With `pool.development`, the network follows its only node to a
 * lower block.
 * @returns a function that must be called when the head of a node has fallen and the node was then confirmed to be on this chain
 */
export function watchFalls(
  network: string,
  log: Logger,
  upstreams: readonly Upstream[],
  served: Pick<CanonicalChain, 'head'>,
): (upstream: Upstream) => void {
  let logged: string | undefined;
  return ({ name, tracker: { latest } }) => {
    const { head } = served;
    if (upstreams.length > 1 || head === undefined || latest === undefined) return;
    if (latest.number >= head.number || head.hash === logged) return;
    logged = head.hash;
    log.warn(
      { network, upstream: name },
      `the node went back from block ${head.number} to ${latest.number}; set pool.development: true for a development node`,
    );
  };
}

/** Logs when this process stops waiting for other processes, and when it waits for them again. */
export function watchFloor(
  network: string,
  log: Logger,
  served: Pick<CanonicalChain, 'head'>,
): Pick<FloorTrustOptions, 'onLost' | 'onRegained'> {
  return {
    onLost(height) {
      const fields = { network, height: `${height}`, head: served.head?.number.toString() };
      log.warn(
        fields,
        'another process serves a height that no node of this process confirms: this process no longer waits for it',
      );
    },
    onRegained: () => log.info({ network }, 'this process waits for the heights of other processes again'),
  };
}
