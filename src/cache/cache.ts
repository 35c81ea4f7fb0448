import type { JsonBytes, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { CacheFigures } from '../observe/sources.ts';

/** Key of a cached answer. */
export type CacheKey = {
  /** Hash of the block that the answer belongs to, lower case. An answer never changes for a given block hash, even if the block is orphaned. */
  readonly blockHash: string;
  /** Chain id, method and canonical parameters of the request. The chain id ends before the first `:` or `@`. */
  readonly request: string;
  /** Hashes of the key's name, cached after the first computation, because a look-up and a later insertion both need them. */
  hashes?: NameHashes | undefined;
};

/** Two hashes of a name, keyed with a secret of this process, as signed 32-bit integers. */
export type NameHashes = { readonly hash: number; readonly tag: number };

/** Complete JSON value, without a JSON-RPC envelope. A large value is stored as bytes. */
export type CachedAnswer = JsonText | JsonBytes;

/** Cache of answers that are immutable for a given block hash. */
export interface Cache {
  /** Returns the answer under the key, synchronously if the answer is in memory. Never rejects: a failure is a miss. */
  get(key: CacheKey): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  /** Stores an answer if there is room. Never throws or waits. */
  set(key: CacheKey, answer: CachedAnswer): void;
  /** Removes all answers of a block that left the canonical chain. */
  evictBlock(blockHash: string): void;
  /**
   * Removes all answers of a chain, or of all chains. A shared tier is emptied for all processes.
   * @param chainId decimal chain id; undefined for all chains
   * @throws Error (by rejection) if a shared tier does not answer
   */
  evictChain(chainId: string | undefined): Promise<void>;
  /** Returns the metrics, one row per tier. */
  describe(): readonly CacheFigures[];
  close(): Promise<void>;
}
