import type { Chain } from '../chain/chain.ts';
import { Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';
import { blockOfHash } from './lookups.ts';
import { readWholeText } from './read-whole-text.ts';

/** Blocks whose transaction lists are kept: clients that follow the head all ask for the newest. */
const MAX_KEPT = 16;
const KEPT_MS = 60_000;
/** From the question to its answer, milliseconds. */
const TIMEOUT_MS = 10_000;

type Source = Pick<Chain, 'blocks'>;
type Hashes = ReadonlySet<string>;

/** Hashes of the transactions of new blocks, read once for all who look for transactions in them. */
export class BlockTransactions {
  static readonly #ofChains = new WeakMap<Source, BlockTransactions>();
  readonly #source: Source;
  readonly #kept = new Lru<string, Promise<Hashes | null>>(MAX_KEPT, KEPT_MS);

  constructor(source: Source) {
    this.#source = source;
  }

  /** The lists of a chain, which all who follow it share. */
  static of(chain: Source): BlockTransactions {
    const known = BlockTransactions.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new BlockTransactions(chain);
    BlockTransactions.#ofChains.set(chain, created);
    return created;
  }

  /** Lower-case hashes in the order of the block; null where there is no such block. @throws ChainError */
  read(hash: string): Promise<Hashes | null> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined) return kept;
    const read = this.#ask(hash);
    this.#kept.set(hash, read);
    const forget = (): void => this.#kept.delete(hash);
    // Only what was found is kept: the next one asks again.
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
