import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { Clock } from '../util/clock.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { FeedBlock } from './feed.ts';
import type { FeedLimits } from './limits.ts';
import { type ExpectedBlock, parseFeedHeader } from './parse-header.ts';
import { readShared } from './read-within.ts';
import type { RemovedBlock, RemovedRecords } from './removed-records.ts';
import { isChildOf } from './steps.ts';

/** Capacity of the header cache, UTF-16 units of text. */
const CACHED_LENGTH = 8 * 1024 * 1024;
const CACHE_MS = 10 * 60_000;
/** Number of concurrent header reads of `readAbove`. */
const PARALLEL = 16;

/** Reads headers, and checks that each header belongs to the requested block. Concurrent reads of the same block are coalesced. */
export class HeaderReads {
  readonly #blocks: Pick<BlockReads, 'getHeaderObject' | 'findHeaderObject'>;
  readonly #clock: Clock;
  readonly #limits: FeedLimits;
  readonly #removed: RemovedRecords | undefined;
  /** In-flight reads by hash or number. */
  readonly #inFlight = new Map<string, Promise<FeedBlock | null>>();
  /** Headers by hash, which never become stale. */
  readonly #cached: Lru<string, FeedBlock>;

  constructor(
    blocks: Pick<BlockReads, 'getHeaderObject' | 'findHeaderObject'>,
    clock: Clock,
    limits: FeedLimits,
    removed?: RemovedRecords,
  ) {
    this.#removed = removed;
    this.#blocks = blocks;
    this.#clock = clock;
    this.#limits = limits;
    this.#cached = new Lru(
      CACHED_LENGTH,
      CACHE_MS,
      () => clock.now(),
      ({ header }) => header.length,
    );
  }

  /** Returns the block with this hash, canonical or not; null if it is known not to exist. @throws ChainError */
  readByHash(hash: string, number?: bigint): PromiseOrValue<FeedBlock | null> {
    const cached = this.#cached.get(hash);
    if (cached !== undefined && (number === undefined || cached.number === number)) return cached;
    const expected = { hash, ...(number !== undefined && { number }) };
    return this.#read(hash, expected, (scope) => this.#blocks.findHeaderObject(hash, scope));
  }

  /**
   * Returns a block that may have left the chain, from the records of other processes or else from nodes; null if the block does not exist. @throws
   * ChainError
   */
  readRemoved(hash: string, number?: bigint): PromiseOrValue<FeedBlock | null> {
    if (this.#removed === undefined || this.#cached.get(hash) !== undefined)
      return this.readByHash(hash, number);
    const expected = { hash, ...(number !== undefined && { number }) };
    const take = ({ header }: RemovedBlock): FeedBlock => {
      const block = parseFeedHeader(header, expected);
      this.#cached.set(hash, block);
      return block;
    };
    return this.#removed.find(hash, take, () => this.readByHash(hash, number));
  }

  /** Returns the canonical block with this number; null if there is none. @throws ChainError */
  readByNumber(number: bigint): PromiseOrValue<FeedBlock | null> {
    return this.#read(number.toString(), { number }, (scope) =>
      this.#blocks.getHeaderObject({ kind: 'number', number }, scope),
    );
  }

  /**
   * Returns up to `count` blocks, highest first: the block with this hash and number, and its ancestors. With `count` above 1, headers are requested
   * concurrently by number, and again by hash if a header is not the expected parent.
   * @throws ChainError if a header is unreadable or unknown
   */
  async readAncestors(hash: string, number: bigint, count: number): Promise<readonly FeedBlock[]> {
    const numbers = listNumbers(number, count);
    const guesses = await Promise.all(numbers.map((at) => (count === 1 ? null : this.#guess(at))));
    const ancestors: FeedBlock[] = [];
    let expected = hash;
    for (const [index, guess] of guesses.entries()) {
      const block =
        guess?.hash === expected ? guess : await this.readByHash(expected, numbers[index] as bigint);
      if (block === null) throw new ChainError('unavailable', 'no node has a block of the served chain');
      if (block === guess) this.#cached.set(expected, block);
      ancestors.push(block);
      expected = block.parentHash;
    }
    return ancestors;
  }

  /**
   * Returns up to `count` blocks above this number. Each returned block is the parent of the next. The result has fewer blocks if the chain changes
   * during the read.
   * @throws ChainError
   */
  async readAbove(number: bigint, count: number): Promise<readonly FeedBlock[]> {
    const numbers = Array.from({ length: count }, (_, index) => number + 1n + BigInt(index));
    const blocks: FeedBlock[] = [];
    for (let at = 0; at < count; at += PARALLEL) {
      const read = await Promise.all(numbers.slice(at, at + PARALLEL).map((one) => this.readByNumber(one)));
      for (const block of read) {
        const below = blocks.at(-1);
        if (block === null || (below !== undefined && !isChildOf(block, below))) return blocks;
        blocks.push(block);
      }
    }
    return blocks;
  }

  async #guess(number: bigint): Promise<FeedBlock | null> {
    try {
      return await this.readByNumber(number);
    } catch {
      return null;
    }
  }

  #read(
    key: string,
    expected: ExpectedBlock,
    ask: (scope: RequestScope) => PromiseOrValue<JsonText | null>,
  ): PromiseOrValue<FeedBlock | null> {
    const flight = this.#inFlight.get(key);
    if (flight !== undefined) return flight;
    const header = readShared(this.#clock, this.#limits.readTimeoutMs, ask);
    const read = continueWith(header, (text) => {
      if (text === null) return null;
      const found = parseFeedHeader(text, expected);
      if (expected.hash !== undefined) this.#cached.set(found.hash, found);
      return found;
    });
    if (!(read instanceof Promise)) return read;
    const shared = read.finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, shared);
    return shared;
  }
}

/** Returns `count` numbers in descending order; negative numbers are omitted. */
function listNumbers(number: bigint, count: number): readonly bigint[] {
  const length = number + 1n < BigInt(count) ? Number(number + 1n) : count;
  return Array.from({ length }, (_, index) => number - BigInt(index));
}
