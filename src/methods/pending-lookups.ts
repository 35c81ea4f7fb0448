import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Maximum concurrent requests for transactions per chain, over all subscriptions and filters. */
const MAX_IN_FLIGHT = 32;
/** Maximum hashes that wait for a request. */
const MAX_WAITING = 4_096;
/**
 * Capacity and lifetime (ms) of the cache. The cache is small and its entries are short-lived, because all listeners request a new transaction within
 * moments of each other.
 */
const MAX_CACHED = 1_024;
const CACHE_MS = 5_000;
/** Timeout of one request, ms. */
const TIMEOUT_MS = 10_000;

type Source = Pick<Chain, 'transactions'>;

type Found = { readonly transaction: JsonText | null; readonly trust: RequestScope['trust'] };

/** Look-ups of pending transactions by hash. Each hash is looked up once per chain, because a node announces it to all listeners at the same time. */
export class PendingLookups {
  static readonly #ofChains = new WeakMap<Source, PendingLookups>();
  readonly #source: Source;
  readonly #cached = new Lru<string, Promise<Found>>(MAX_CACHED, CACHE_MS);
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns the instance that all listeners of a chain share. */
  static of(chain: Source): PendingLookups {
    const known = PendingLookups.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new PendingLookups(chain);
    PendingLookups.#ofChains.set(chain, created);
    return created;
  }

  /**
   * Returns a transaction, or null where the transaction is unknown.
   * @param scope the caller's scope, which records the trust level of the answer
   * @throws ChainError when the nodes are unavailable, or `busy` when too many hashes are queued
   */
  async find(hash: string, scope: RequestScope): Promise<JsonText | null> {
    let found = this.#cached.get(hash);
    if (found === undefined) {
      if (this.#waiting.length >= MAX_WAITING) throw new ChainError('busy', 'node.inFlight');
      found = this.#begin(hash);
      this.#cached.set(hash, found);
    }
    const { transaction, trust } = await found;
    if (trust !== undefined) scope.noteTrust(trust);
    return transaction;
  }

  async #begin(hash: string): Promise<Found> {
    if (this.#inFlight >= MAX_IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight++;
    const scope = new RequestScope(performance.now() + TIMEOUT_MS);
    try {
      const transaction = await this.#source.transactions.getTransaction({ hash }, scope);
      return { transaction, trust: scope.trust };
    } catch (error) {
      // Failures are not cached, so the next listener sends the request again.
      this.#cached.delete(hash);
      throw error;
    } finally {
      scope.release();
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight--;
      else next();
    }
  }
}
