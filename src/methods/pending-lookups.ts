import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Transactions of one chain that are asked for at the same time, for all subscriptions and filters together. */
const MAX_IN_FLIGHT = 32;
/** Hashes that wait to be asked for. */
const MAX_WAITING = 4_096;
/** Transactions that are remembered, and for how long: every listener asks for them within moments. */
const MAX_KEPT = 1_024;
const KEPT_MS = 5_000;
/** From the question to its answer, milliseconds. */
const TIMEOUT_MS = 10_000;

type Source = Pick<Chain, 'transactions'>;

type Found = { readonly transaction: JsonText | null; readonly trust: RequestScope['trust'] };

/**
 * Waiting transactions by their hashes, looked up once for all listeners of a chain: a node announces a hash to every one of them at the same moment.
 */
export class PendingLookups {
  static readonly #ofChains = new WeakMap<Source, PendingLookups>();
  readonly #source: Source;
  readonly #kept = new Lru<string, Promise<Found>>(MAX_KEPT, KEPT_MS);
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The lookups of a chain, which all its listeners share. */
  static of(chain: Source): PendingLookups {
    const known = PendingLookups.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new PendingLookups(chain);
    PendingLookups.#ofChains.set(chain, created);
    return created;
  }

  /**
   * A transaction, or null where it is not known.
   * @param scope of the caller: it notes how far the answer is trusted
   * @throws ChainError when the nodes cannot be asked, or `busy` when too many transactions are waited for
   */
  async find(hash: string, scope: RequestScope): Promise<JsonText | null> {
    let found = this.#kept.get(hash);
    if (found === undefined) {
      if (this.#waiting.length >= MAX_WAITING) throw new ChainError('busy', 'node.inFlight');
      found = this.#begin(hash);
      this.#kept.set(hash, found);
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
      // The next listener asks again.
      this.#kept.delete(hash);
      throw error;
    } finally {
      scope.release();
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight--;
      else next();
    }
  }
}
