import { limitOf } from '../util/bounds.ts';
import { groupAddress } from '../util/group-address.ts';
import { Lru } from '../util/lru.ts';
import { TokenBucket } from '../util/token-bucket.ts';

/** Wrong keys from one address (of IPv6: one /64) at once, and a second. */
const BURST = limitOf('admin.guesses');
const PER_SECOND = 1;
const ADDRESSES = 10_000;
/** Longer than an empty bucket takes to be full again. */
const ADDRESS_MS = 60_000;

/** Counts wrong keys of the admin server. From an address with too many of them the right one is not taken either. */
export class Guesses {
  readonly #byAddress: Lru<string, TokenBucket>;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#byAddress = new Lru(ADDRESSES, ADDRESS_MS, now);
  }

  /** Seconds until another key may be shown from there; undefined when it may be now. */
  findPause(address: string): number | undefined {
    const tokens = this.#byAddress.get(groupAddress(address))?.tokens;
    return tokens === undefined || tokens >= 1 ? undefined : Math.ceil((1 - tokens) / PER_SECOND);
  }

  count(address: string): void {
    const group = groupAddress(address);
    const known = this.#byAddress.get(group);
    const bucket = known ?? new TokenBucket({ capacity: BURST, perSecond: PER_SECOND, now: this.#now });
    bucket.tryTake();
    // Set again, it lives on.
    this.#byAddress.set(group, bucket);
  }
}
