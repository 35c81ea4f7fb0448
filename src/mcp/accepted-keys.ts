import { Lru } from '../util/lru.ts';
import { nameOwner } from '../util/owner.ts';

/** Maximum number of keys that are remembered. */
const KEYS = 1_024;
/** Time for which a key counts as accepted after a response, and for which the outcome of a check of the gateway counts, ms. */
const ACCEPTED_MS = 10 * 60_000;

/**
 * Keys that the gateway has accepted lately. As for requests of JSON-RPC, the owner of a request is its key once the key is known, and its address
 * before. A gateway that accepts every key knows none: then the owner is always the address, so that invented keys bring no more shares.
 */
export class AcceptedKeys {
  readonly #keys = new Lru<string, true>(KEYS, ACCEPTED_MS);
  readonly #checkGateway: () => Promise<boolean | undefined>;
  readonly #now: () => number;
  /** Whether the gateway refused an invented key in the last check that had an outcome. */
  #isSelective = false;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param checkGateway returns whether the gateway refuses an invented key, or undefined if it did not say; never rejects
   * @param now a monotonic clock, ms
   */
  constructor(checkGateway: () => Promise<boolean | undefined>, now: () => number = () => performance.now()) {
    this.#checkGateway = checkGateway;
    this.#now = now;
  }

  /** Notes that the gateway has answered a request with this key. */
  accept(key: string): void {
    this.#keys.set(key, true);
    if (this.#now() - this.#checkedAt >= ACCEPTED_MS) void this.#check();
  }

  /** Returns whose share a request with this key uses. */
  ownerOf(key: string, address: string): string {
    return nameOwner(address, this.#isSelective && this.#keys.get(key) === true ? key : undefined);
  }

  async #check(): Promise<void> {
    this.#checkedAt = this.#now();
    const isSelective = await this.#checkGateway();
    if (isSelective === undefined) this.#checkedAt = Number.NEGATIVE_INFINITY;
    else this.#isSelective = isSelective;
  }
}
