import type { Clock } from '../../util/clock.ts';
import { TokenBucket } from '../../util/token-bucket.ts';

/** Rate limit for hashes of one node, announced or from a filter: the busiest public networks have a few hundred per second. */
const MAX_PER_SECOND = 2_000;
/** Burst limit for these hashes: a filter that was not polled for a while returns many of them in one reply. */
const MAX_BURST = 20_000;
/** Pause after a node exceeds the limit, ms. */
export const FLOOD_PAUSE_MS = 60_000;

/** Creates the rate limit on pending transaction hashes of one node. */
export function createHashRate(clock: Pick<Clock, 'now'>): TokenBucket {
  return new TokenBucket({ capacity: MAX_BURST, perSecond: MAX_PER_SECOND, now: () => clock.now() });
}
