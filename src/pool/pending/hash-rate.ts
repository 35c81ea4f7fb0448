import type { Clock } from '../../util/clock.ts';
import { TokenBucket } from '../../util/token-bucket.ts';

/** Maximum number of pending transaction hashes per second from one node. The busiest public networks have a few hundred per second. */
const MAX_PER_SECOND = 2_000;
/** Maximum burst of hashes from one node: a filter that was not polled for a while returns many in one reply. */
const MAX_BURST = 20_000;
/** Pause after the hashes of a node exceed the rate limit, ms. */
export const FLOOD_PAUSE_MS = 60_000;

/** Creates the rate limit on pending transaction hashes of one node. */
export function createHashRate(clock: Pick<Clock, 'now'>): TokenBucket {
  return new TokenBucket({ capacity: MAX_BURST, perSecond: MAX_PER_SECOND, now: () => clock.now() });
}
