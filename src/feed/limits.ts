import { limitOf } from '../util/bounds.ts';

/** Limits of one network's feed. */
export type FeedLimits = {
  /** Number of blocks below the head whose hash, parent and header are cached (the window); a start in the window needs no read. */
  readonly windowBlocks: number;
  /** Maximum distance of a start from the head, blocks. A listener that lags behind the head by more than twice `maxBlocks` is ended. */
  readonly maxBlocks: number;
  /**
   * Maximum number of steps that one `read` returns. Headers are read in groups of 64, so the last group may exceed the maximum by up to 63 steps.
   */
  readonly readSteps: number;
  /** Bytes of cached logs of blocks in the window. A second cache with the same limit stores logs of older blocks for listeners that catch up. */
  readonly logBytes: number;
  /**
   * Maximum number of addresses and topics in the criteria of all listeners, about 350 bytes each. One owner may use at most half of
   * `criteriaValues`.
   */
  readonly criteriaValues: number;
  /** Maximum number of hashes of pending transactions that are stored for deduplication. */
  readonly pendingHashes: number;
  /** Maximum number of concurrent reads for listeners that catch up; further reads wait for scheduler slots of their owners. */
  readonly catchUpReads: number;
  /** Timeout of one read of the chain, ms. */
  readonly readTimeoutMs: number;
  /** Maximum time for which `read` and `join` wait until the feed has reached the served head, ms. */
  readonly headWaitMs: number;
  /** First backoff after a failed read, ms. `retryMaxMs` is the longest backoff. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Time for which the head is followed after the last listener has left and after the last `read`, ms. */
  readonly idleMs: number;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MIB = 1024 * 1024;

export const DEFAULT_FEED_LIMITS: FeedLimits = {
  windowBlocks: 256,
  maxBlocks: limitOf('subscriptions.startBlocks'),
  readSteps: 1_024,
  logBytes: 64 * MIB,
  criteriaValues: 500_000,
  pendingHashes: 32_768,
  catchUpReads: 32,
  readTimeoutMs: 10 * SECOND_MS,
  headWaitMs: SECOND_MS,
  retryFirstMs: 50,
  retryMaxMs: 2 * SECOND_MS,
  idleMs: 60 * MINUTE_MS,
};
