import { limitOf } from '../util/bounds.ts';
import { groupAddress } from '../util/group-address.ts';
import { Lru } from '../util/lru.ts';
import { TokenBucket } from '../util/token-bucket.ts';
import { BoundRefusal } from './refusal.ts';

/** Wrong keys allowed per address (IPv6: per /64) as a burst, and per second. */
const BURST = limitOf('admin.guesses');
const PER_SECOND = 1;
const ADDRESSES = 10_000;
/** Lifetime of an address's bucket, ms; longer than an empty bucket takes to refill. */
const ADDRESS_MS = 60_000;

/**
 * Counts wrong keys of the admin server and wrong tokens of the Admin API, by address. After too many of them, an address is refused even with the
 * correct key.
 */
export class Guesses {
  readonly #byAddress: Lru<string, TokenBucket>;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#byAddress = new Lru(ADDRESSES, ADDRESS_MS, now);
  }

  /** Refuses an address that has sent too many wrong keys. @throws BoundRefusal with the seconds until the address may send another key */
  checkAddress(address: string): void {
    const tokens = this.#byAddress.get(groupAddress(address))?.tokens;
    if (tokens === undefined || tokens >= 1) return;
    const pause = Math.ceil((1 - tokens) / PER_SECOND);
    throw new BoundRefusal(429, 'admin.guesses', { 'Retry-After': String(pause) });
  }

  count(address: string): void {
    const group = groupAddress(address);
    const known = this.#byAddress.get(group);
    const bucket = known ?? new TokenBucket({ capacity: BURST, perSecond: PER_SECOND, now: this.#now });
    bucket.tryTake();
    // Setting the bucket again extends its lifetime.
    this.#byAddress.set(group, bucket);
  }
}
