import type { Chain } from '../chain/chain.ts';
import { Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';
import { blockOfHash } from './lookups.ts';
import { readWholeText } from './read-whole-text.ts';

/** Maximum cached transaction lists, one per block. A few lists suffice, because clients that follow the head request only the newest blocks. */
const MAX_CACHED = 16;
const CACHE_MS = 60_000;
/** Timeout of one block request, ms. */
const TIMEOUT_MS = 10_000;

type Source = Pick<Chain, 'blocks'>;
type Hashes = ReadonlySet<string>;

/** Transaction hashes of new blocks, read once and shared by all waiting callers. */
export class BlockTransactions {
  static readonly #ofChains = new WeakMap<Source, BlockTransactions>();
  readonly #source: Source;
  readonly #cached = new Lru<string, Promise<Hashes | null>>(MAX_CACHED, CACHE_MS);

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns the instance that all callers for a chain share. */
  static of(chain: Source): BlockTransactions {
    const known = BlockTransactions.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new BlockTransactions(chain);
    BlockTransactions.#ofChains.set(chain, created);
    return created;
  }

  /** Returns the lower-case transaction hashes in block order, or null for an unknown block. @throws ChainError */
  read(hash: string): Promise<Hashes | null> {
    const cached = this.#cached.get(hash);
    if (cached !== undefined) return cached;
    const read = this.#ask(hash);
    this.#cached.set(hash, read);
    const forget = (): void => this.#cached.delete(hash);
    // Nulls and failures are not cached, so the next caller sends the request again.
    read.then((found) => found ?? forget(), forget);
    return read;
  }

  async #ask(hash: string): Promise<Hashes | null> {
    const scope = new RequestScope(performance.now() + TIMEOUT_MS);
    try {
      const block = await this.#source.blocks.getBlock(blockOfHash(hash), false, scope);
      if (block === null) return null;
      const { transactions } = JSON.parse(await readWholeText(block)) as { transactions: readonly string[] };
      return new Set(transactions.map((transaction) => transaction.toLowerCase()));
    } finally {
      scope.release();
    }
  }
}
