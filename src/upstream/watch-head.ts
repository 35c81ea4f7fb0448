import type { Logger } from '../observe/logger.ts';
import type { Vote } from './heads/electorate.ts';
import type { NetworkHead, NetworkHeadOptions } from './heads/network-head.ts';
import { describeState, explainOutage } from './node-state.ts';
import type { Upstream } from './upstream.ts';

type Watched = Pick<NetworkHeadOptions<Upstream>, 'onVote' | 'onDoubt' | 'onExpiry' | 'onGivenUp'>;

/** Why a vote is missing matters to an operator; which tier is in use, and that a node is new, are no faults. */
const BEHIND: ReadonlySet<Vote> = new Set<Vote>(['syncing', 'lagging']);

/** Logs what becomes of a network's head and of the nodes' votes, once for each change, and asks nodes for proof. */
export function watchHead(
  network: string,
  log: Logger,
  upstreams: readonly Upstream[],
  readHead: () => Pick<NetworkHead, 'head'>,
): Watched {
  return {
    onVote(upstream, before) {
      const { name, vote, tracker } = upstream;
      const fields = {
        network,
        upstream: name,
        tier: upstream.tier,
        block: tracker.latest?.number.toString(),
        head: readHead().head?.number.toString(),
      };
      if (BEHIND.has(vote)) {
        const reason = `it ${describeState(upstream, undefined).reason}`;
        log.warn({ ...fields, reason }, 'upstream has no vote in the head');
      } else if (vote === 'votes' && before !== 'silent')
        log.info(fields, 'upstream has a vote in the head again');
      else if (vote === 'lowerTier')
        log.info(fields, 'upstream is in reserve: a better tier decides the head');
    },
    onDoubt: ({ tracker }, number) => void tracker.showBlock(number),
    onExpiry({ number }, isExpired) {
      const fields = { network, head: number.toString() };
      if (!isExpired) log.info(fields, 'the head is served again');
      else {
        const reason = explainOutage(upstreams);
        log.error(
          { ...fields, reason },
          'no upstream has had the head for pool.headAge: it is not served any more',
        );
      }
    },
    onGivenUp(from, to) {
      const fields = { network, from: from.number.toString(), to: to.number.toString() };
      log.warn(fields, 'the served head was false: later blocks are not on its chain');
    },
  };
}
