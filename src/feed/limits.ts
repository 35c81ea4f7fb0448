import { limitOf } from '../util/bounds.ts';

/** Bounds of one network's feed. */
export type FeedLimits = {
  /** Blocks below the head of which hash, parent and header are kept: a start among them costs no read. */
  readonly windowBlocks: number;
  /** Blocks that a start may be below the head, and that a listener may fall behind it. */
  readonly maxBlocks: number;
  /** Steps that one `read` gives. */
  readonly readSteps: number;
  /** Bytes of the logs kept of blocks in the window; as many again of older ones, for listeners that catch up together. */
  readonly logBytes: number;
  /** Addresses and topics that the criteria of all listeners name together; each takes about 350 bytes. An owner has a share. */
  readonly criteriaValues: number;
  /** Hashes of waiting transactions by which doubles are noticed. */
  readonly pendingHashes: number;
  /** Reads of listeners that catch up, at a time; all others wait in turns of their owners. */
  readonly catchUpReads: number;
  /** Of one read of the chain, milliseconds. */
  readonly readTimeoutMs: number;
  /** How long `read` and `join` wait for the feed to arrive at the served head, milliseconds. */
  readonly headWaitMs: number;
  /** Between two attempts at a read that failed, milliseconds. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** The head is followed for so long after the last listener left and the last `read`, milliseconds. */
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
