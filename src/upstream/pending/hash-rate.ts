import type { Clock } from '../../util/clock.ts';
import { TokenBucket } from '../../util/token-bucket.ts';

/** Hashes of one node, announced or in a filter: the busiest public networks have a few hundred a second. */
const MAX_PER_SECOND = 2_000;
/** As many come at once where a filter was not asked for its changes for a while. */
const MAX_BURST = 20_000;
/** How long nothing is taken from a node that sends more. */
export const FLOOD_PAUSE_MS = 60_000;

/** How many hashes of pending transactions are taken from one node. */
export function createHashRate(clock: Pick<Clock, 'now'>): TokenBucket {
  return new TokenBucket({ capacity: MAX_BURST, perSecond: MAX_PER_SECOND, now: () => clock.now() });
}
