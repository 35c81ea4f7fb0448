import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';
import type { BlockLog, BlockPlace } from '../chain/chain.ts';
import type { LogFilter } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Logs that a subscription or filter matches, in any block. */
export type LogCriteria = Pick<LogFilter, 'addresses' | 'topics'>;

/** Returns whether a log matches the criteria of a listener. */
export type LogTest = (log: BlockLog) => boolean;

/** Block that joined or left the served chain. */
export type FeedBlock = {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** Header object in the form of `newHeads`. */
  readonly header: JsonText;
};

/** Step of the served chain. Removed blocks come highest first, added ones lowest first; each block's parent is the head before it. */
export type FeedStep = { readonly kind: 'added' | 'removed'; readonly block: FeedBlock };

/** Start position: after the block of this hash, or at the first block of this number; `head` is the served head. */
export type FeedStart =
  | { readonly kind: 'after'; readonly hash: string }
  | { readonly kind: 'from'; readonly number: bigint }
  | { readonly kind: 'head' };

/**
 * Callbacks of a listener. Each is synchronous, and an exception ends only this listener. A step, its block and its logs are the same objects for all
 * listeners at the head, so that derived values can be cached by identity.
 */
export type FeedListener = {
  /** Receives every step once and in order, before its logs. With `logs` set, it waits until they are available. */
  readonly onStep?: (step: FeedStep) => void;
  /** Receives each step's non-empty matches in block order; those of removed blocks in reverse. */
  readonly logs?: {
    readonly criteria: LogCriteria;
    readonly onLogs: (logs: readonly BlockLog[], step: FeedStep) => void;
  };
  /** Further values that the listener stores, charged to the same limit as the criteria. */
  readonly values?: number;
  /** Called before each past step, until the listener has caught up. Returns a promise to await while earlier events are unsent. */
  readonly waitUntilReady?: () => Promise<void> | undefined;
  /** The listener cannot continue without a gap (see `FeedError`), or has thrown. It receives nothing further. */
  readonly onEnd: (reason: FeedError) => void;
};

/**
 * `unknownBlock`: the start is unknown; `tooFar`: too many blocks are missing; `tooMuch`: the criteria of the owner's listeners exceed the limit;
 * `closed`: the network is no longer served, or the listener has failed.
 */
export class FeedError extends UntracedError {
  readonly kind: 'unknownBlock' | 'tooFar' | 'tooMuch' | 'closed';
  /** Highest canonical ancestor of a rejected start if known, from which a client may continue. */
  readonly ancestor: BlockPlace | undefined;

  constructor(kind: FeedError['kind'], message: string, ancestor?: BlockPlace) {
    super(message);
    this.name = 'FeedError';
    this.kind = kind;
    this.ancestor = ancestor;
  }
}

/** Changes of the served chain between two points. */
export type FeedChanges = {
  /** At most `readSteps` of the feed's limits; then `last` is below the head, and the next read returns more. */
  readonly steps: readonly FeedStep[];
  /** Start of the next read. */
  readonly last: { readonly number: bigint; readonly hash: string };
};

/** Live blocks and logs of a network's served chain: each once and in order, independent of node failures. */
export interface NetworkFeed {
  /**
   * Joins the feed: first the steps since `start`, then live ones, without a gap. Resolves once the start is found.
   * @returns a function that leaves the feed
   * @throws FeedError
   */
  join(start: FeedStart, listener: FeedListener, scope: RequestScope): Promise<() => void>;
  /** Returns the steps from `start` to the present. @throws FeedError */
  read(start: FeedStart, scope: RequestScope): Promise<FeedChanges>;
  /** Returns the matching logs of a step; those of a removed block in reverse, with `removed: true`. */
  readLogs(step: FeedStep, matches: LogTest, scope: RequestScope): Promise<readonly BlockLog[]>;
  /** Reports hashes of pending transactions, each once. Undefined if the chain announces none. */
  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined;
  /** True if there is a served head; `watchSync` reports changes. */
  readonly isSynced: boolean;
  watchSync(listener: (isSynced: boolean) => void): () => void;
  close(): void;
}
