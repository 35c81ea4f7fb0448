import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockLog, LogReads } from '../chain/chain.ts';
import type { Clock } from '../util/clock.ts';
import { Lru } from '../util/lru.ts';
import type { FeedLimits } from './limits.ts';
import { readShared } from './read-within.ts';
import type { RemovedBlock, RemovedRecords } from './removed-records.ts';

/** Estimated heap bytes of a log in addition to its text: address, topics, objects. */
const LOG_OVERHEAD_BYTES = 600;
const BLOCK_OVERHEAD_BYTES = 200;
/** Lifetime of the logs of recent blocks, ms; long enough for `windowBlocks` blocks of a slow chain. At most `2 * windowBlocks` blocks are cached. */
const RECENT_MS = 2 * 60 * 60_000;
/** Lifetime of the logs of older blocks, ms. Several listeners that catch up at the same time share the logs of older blocks. */
const OLD_MS = 60_000;

/** Logs of blocks by block hash. Concurrent reads are coalesced, and the logs are cached as long as they may be needed again. */
export class BlockLogs {
  readonly #logs: Pick<LogReads, 'getBlockLogs'>;
  readonly #clock: Clock;
  readonly #limits: FeedLimits;
  readonly #removed: RemovedRecords | undefined;
  readonly #inFlight = new Map<string, Promise<readonly BlockLog[] | null>>();
  /** Logs of recent blocks. `#recent` is separate from `#old`, so that catching up does not evict logs that a reorg removes. */
  readonly #recent: Lru<string, readonly BlockLog[]>;
  readonly #old: Lru<string, readonly BlockLog[]>;

  constructor(
    logs: Pick<LogReads, 'getBlockLogs'>,
    clock: Clock,
    limits: FeedLimits,
    removed?: RemovedRecords,
  ) {
    this.#removed = removed;
    this.#logs = logs;
    this.#clock = clock;
    this.#limits = limits;
    const now = (): number => clock.now();
    // At most twice `windowBlocks` blocks are cached: a reorg removes blocks of the window, or of a branch with the same length.
    const leastBytes = Math.floor(limits.logBytes / (2 * limits.windowBlocks));
    this.#recent = new Lru(limits.logBytes, RECENT_MS, now, (logs) => Math.max(leastBytes, countBytes(logs)));
    this.#old = new Lru(limits.logBytes, OLD_MS, now, countBytes);
  }

  /** Returns the cached logs of a block; undefined if they are not cached. */
  findCached(hash: string): readonly BlockLog[] | undefined {
    return this.#recent.get(hash) ?? this.#old.get(hash);
  }

  /**
   * Reads all logs of a block that has left the chain, from the records of other processes or else from nodes; null if the block is unknown. @throws
   * ChainError
   */
  readRemoved(hash: string, isRecent: boolean): PromiseOrValue<readonly BlockLog[] | null> {
    if (this.#removed === undefined || this.findCached(hash) !== undefined) return this.read(hash, isRecent);
    const take = ({ logs }: RemovedBlock): readonly BlockLog[] | undefined => {
      if (logs !== undefined) this.#recent.set(hash, logs);
      return logs;
    };
    return this.#removed.find(hash, take, () => this.read(hash, isRecent));
  }

  /** Reads all logs of a block in one attempt; null if the block is unknown. @throws ChainError */
  read(hash: string, isRecent: boolean): PromiseOrValue<readonly BlockLog[] | null> {
    const cached = this.findCached(hash);
    if (cached !== undefined) return cached;
    const flight = this.#inFlight.get(hash);
    if (flight !== undefined) return flight;
    const read = continueWith(
      readShared(this.#clock, this.#limits.readTimeoutMs, (scope) => this.#logs.getBlockLogs(hash, scope)),
      (logs) => {
        if (logs !== null) (isRecent ? this.#recent : this.#old).set(hash, logs);
        return logs;
      },
    );
    if (!(read instanceof Promise)) return read;
    const shared = read.finally(() => this.#inFlight.delete(hash));
    this.#inFlight.set(hash, shared);
    return shared;
  }

  /**
   * Starts to read and cache the logs of a block before `read` requests them. A failure is ignored, because `read` repeats the request and reports
   * its own failure.
   */
  prefetch(hash: string, isRecent: boolean): void {
    void this.tryRead(hash, isRecent);
  }

  /** Like `read`, but returns undefined if the logs are unreadable or the block is unknown. Never rejects. */
  async tryRead(hash: string, isRecent = true): Promise<readonly BlockLog[] | undefined> {
    try {
      return (await this.read(hash, isRecent)) ?? undefined;
    } catch {
      return undefined;
    }
  }

  clear(): void {
    this.#recent.clear();
    this.#old.clear();
  }
}

function countBytes(logs: readonly BlockLog[]): number {
  return logs.reduce((sum, { json }) => sum + json.length + LOG_OVERHEAD_BYTES, BLOCK_OVERHEAD_BYTES);
}
