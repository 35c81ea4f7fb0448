import type { BlockReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { Clock } from '../util/clock.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { FeedBlock } from './feed.ts';
import type { FeedLimits } from './limits.ts';
import { type ExpectedBlock, parseHeader } from './parse-header.ts';
import { readWithin } from './read-within.ts';
import type { RemovedBlock, RemovedRecords } from './removed-records.ts';
import { isChildOf } from './steps.ts';

/** Of headers by hash, UTF-16 units of their text. */
const KEPT_LENGTH = 8 * 1024 * 1024;
const KEPT_MS = 10 * 60_000;
/** Headers by number that are asked for at a time. */
const PARALLEL = 16;

/** Headers of the chain as blocks, each read once at a time, checked to be the block that was asked for. */
export class HeaderReads {
  readonly #blocks: Pick<BlockReads, 'getHeaderObject' | 'findHeaderObject'>;
  readonly #clock: Clock;
  readonly #limits: FeedLimits;
  readonly #removed: RemovedRecords | undefined;
  /** In work, by hash or number. */
  readonly #flights = new Map<string, Promise<FeedBlock | null>>();
  /** By hash: a hash never means another block. */
  readonly #kept: Lru<string, FeedBlock>;

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
    this.#kept = new Lru(
      KEPT_LENGTH,
      KEPT_MS,
      () => clock.now(),
      ({ header }) => header.length,
    );
  }

  /** The block of this hash, on the served chain or not; null where it is certain that there is none. @throws ChainError */
  readByHash(hash: string, number?: bigint): PromiseOrValue<FeedBlock | null> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined && (number === undefined || kept.number === number)) return kept;
    const expected = { hash, ...(number !== undefined && { number }) };
    return this.#read(hash, expected, (scope) => this.#blocks.findHeaderObject(hash, scope));
  }

  /** The same of a block that may have left the chain: another process may have seen it. @throws ChainError */
  readRemoved(hash: string, number?: bigint): PromiseOrValue<FeedBlock | null> {
    if (this.#removed === undefined || this.#kept.get(hash) !== undefined)
      return this.readByHash(hash, number);
    const expected = { hash, ...(number !== undefined && { number }) };
    const take = ({ header }: RemovedBlock): FeedBlock => {
      const block = parseHeader(header, expected);
      this.#kept.set(hash, block);
      return block;
    };
    return this.#removed.find(hash, take, () => this.readByHash(hash, number));
  }

  /** The block of this number on the served chain, as it is now; null where there is none. @throws ChainError */
  readByNumber(number: bigint): PromiseOrValue<FeedBlock | null> {
    return this.#read(number.toString(), { number }, (scope) =>
      this.#blocks.getHeaderObject({ kind: 'number', number }, scope),
    );
  }

  /**
   * Ancestors, highest first: that of this hash and number, and up to `count` in all. Those below the first are asked for by number, many at
   * a time, and by hash only where what comes is no parent.
   * @throws ChainError where one cannot be read, or is not there
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
      if (block === guess) this.#kept.set(expected, block);
      ancestors.push(block);
      expected = block.parentHash;
    }
    return ancestors;
  }

  /** The next blocks above this number, each the parent of the next; fewer where the chain changes meanwhile. @throws ChainError */
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
    const flight = this.#flights.get(key);
    if (flight !== undefined) return flight;
    const header = readWithin(this.#clock, this.#limits.readTimeoutMs, ask);
    const read = continueWith(header, (text) => {
      if (text === null) return null;
      const found = parseHeader(text, expected);
      if (expected.hash !== undefined) this.#kept.set(found.hash, found);
      return found;
    });
    if (!(read instanceof Promise)) return read;
    const shared = read.finally(() => this.#flights.delete(key));
    this.#flights.set(key, shared);
    return shared;
  }
}

/** From this number down. */
function listNumbers(number: bigint, count: number): readonly bigint[] {
  const length = number + 1n < BigInt(count) ? Number(number + 1n) : count;
  return Array.from({ length }, (_, index) => number - BigInt(index));
}
