import type { CacheFigures } from '../observe/sources.ts';
import type { JsonBytes, JsonText } from '../primitives/json-result.ts';

/** Under what an answer is kept. */
export type CacheKey = {
  /** The block that the answer belongs to: its hash, lower case. The answer never changes; the block may be orphaned. */
  readonly blockHash: string;
  /** What was asked of that block: chain, method, canonical parameters. */
  readonly question: string;
  /** Of its name, once they were computed: it is looked up, and kept later. */
  hashes?: NameHashes | undefined;
};

/** Two hashes of a name under a key of this process, as signed integers. */
export type NameHashes = { readonly hash: number; readonly tag: number };

/** One complete JSON value; a large one is bytes, without others around it. */
export type KeptAnswer = JsonText | JsonBytes;

/** Answers that were true of a block and stay true of it. */
export interface Cache {
  /** The answer kept under the key; at once where it is held in memory. Never rejects: a failure is a miss. */
  get(key: CacheKey): KeptAnswer | undefined | Promise<KeptAnswer | undefined>;
  /** Keeps an answer as long as there is room. Never throws, never waits. */
  set(key: CacheKey, answer: KeptAnswer): void;
  /** Forgets everything about a block that left the canonical chain. */
  evictBlock(blockHash: string): void;
  /** What metrics show: a row for each tier. */
  describe(): readonly CacheFigures[];
  close(): Promise<void>;
}
