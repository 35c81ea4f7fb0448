import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { Lru } from '../../util/lru.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { blockOfHash } from '../lookups.ts';
import { readWholeText } from '../read-whole-text.ts';

/**
 * Capacity of the cache for the receipts of all blocks together, UTF-16 units. Subscriptions that read the receipts of a block at about the same time
 * share the cache entry of the block.
 */
const MAX_CACHED_LENGTH = 32 * 1024 * 1024;
const CACHE_MS = 30_000;
/** Timeout of one request, ms. */
const TIMEOUT_MS = 10_000;

type Source = Pick<Chain, 'blocks'>;

/** Receipts of new blocks, read once for all subscriptions of a chain. */
export class BlockReceipts {
  static readonly #ofChains = new WeakMap<Source, BlockReceipts>();
  readonly #source: Source;
  readonly #inFlight = new Map<string, Promise<JsonText>>();
  readonly #cached = new Lru<string, JsonText>(
    MAX_CACHED_LENGTH,
    CACHE_MS,
    undefined,
    ({ length }) => length,
  );

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns the instance that all subscriptions of a chain share. */
  static of(chain: Source): BlockReceipts {
    const known = BlockReceipts.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new BlockReceipts(chain);
    BlockReceipts.#ofChains.set(chain, created);
    return created;
  }

  /**
   * Returns the receipt objects of a block as a JSON array.
   * @throws ChainError if the block is unknown, or if the receipts of the block cannot be read
   */
  async read(hash: string): Promise<JsonText> {
    const cached = this.#cached.get(hash) ?? this.#inFlight.get(hash);
    if (cached !== undefined) return cached;
    const flight = this.#ask(hash).finally(() => this.#inFlight.delete(hash));
    this.#inFlight.set(hash, flight);
    return flight;
  }

  async #ask(hash: string): Promise<JsonText> {
    const scope = new RequestScope(performance.now() + TIMEOUT_MS);
    try {
      const receipts = await this.#source.blocks.getReceipts(blockOfHash(hash), scope);
      if (receipts === null) throw new ChainError('unavailable', 'no node has the block');
      const text = await readWholeText(receipts);
      this.#cached.set(hash, text);
      return text;
    } finally {
      scope.release();
    }
  }
}
