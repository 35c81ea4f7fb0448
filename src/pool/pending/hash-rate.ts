import type { Clock } from '../../util/clock.ts';
import { TokenBucket } from '../../util/token-bucket.ts';

/** Rate limit on the hashes of one node, announced or in a filter: the busiest public networks have a few hundred per second. */
const MAX_PER_SECOND = 2_000;
/** Burst limit: a filter that was not polled for a while returns many at once. */
const MAX_BURST = 20_000;
/** Pause after a node exceeds the limit, milliseconds. */
export const FLOOD_PAUSE_MS = 60_000;

/** Creates the rate limit on pending transaction hashes of one node. */
export function createHashRate(clock: Pick<Clock, 'now'>): TokenBucket {
  return new TokenBucket({ capacity: MAX_BURST, perSecond: MAX_PER_SECOND, now: () => clock.now() });
}
