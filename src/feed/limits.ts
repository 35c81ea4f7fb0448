import { limitOf } from '../util/bounds.ts';

/** Limits of one network's feed. */
export type FeedLimits = {
  /** Window below the head with cached hash, parent and header: a start inside it costs no read, blocks. */
  readonly windowBlocks: number;
  /** Maximum distance of a start from the head; a listener may lag by twice as many blocks. */
  readonly maxBlocks: number;
  /** Maximum steps of one `read`. */
  readonly readSteps: number;
  /** Bytes of cached logs of blocks in the window, and again of older blocks, for listeners that catch up concurrently. */
  readonly logBytes: number;
  /** Total addresses and topics in the criteria of all listeners, about 350 bytes each. Each owner has a share. */
  readonly criteriaValues: number;
  /** Hashes of pending transactions stored for deduplication. */
  readonly pendingHashes: number;
  /** Concurrent reads for listeners that catch up; others wait for scheduler slots of their owners. */
  readonly catchUpReads: number;
  /** Timeout of one read of the chain, ms. */
  readonly readTimeoutMs: number;
  /** Maximum wait of `read` and `join` for the feed to reach the served head, ms. */
  readonly headWaitMs: number;
  /** Backoff between attempts at a failed read, ms. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Duration for which the head is followed after the last listener left and the last `read`, ms. */
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
