import type { BlockLog, BlockPlace } from '../chain/chain.ts';
import type { LogFilter } from '../chain/requests.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { UntracedError } from '../primitives/untraced-error.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Which logs a subscription or a filter means; of every block. */
export type LogCriteria = Pick<LogFilter, 'addresses' | 'topics'>;

/** Whether a log matches the criteria of a listener. */
export type LogTest = (log: BlockLog) => boolean;

/** A block that came to the served chain, or left it. */
export type FeedBlock = {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** Header object, as `newHeads` has it. */
  readonly header: JsonText;
};

/** One step of the served chain. Removed blocks come highest first, added ones lowest first; each block's parent is the one before. */
export type FeedStep = { readonly kind: 'added' | 'removed'; readonly block: FeedBlock };

/** Where to go on: behind the block of this hash, or at the first block of this number; `undefined` is the served head. */
export type FeedStart =
  | { readonly kind: 'after'; readonly hash: string }
  | { readonly kind: 'from'; readonly number: bigint }
  | { readonly kind: 'head' };

/**
 * What a listener gets. Each returns at once; what it throws ends the listener alone. A step, its block and its logs are the same objects
 * for all listeners that are up to date, so that what is made of them can be kept by them.
 */
export type FeedListener = {
  /** Every step, in order, once; before its logs, where these are wanted as well: then it waits until they are there. */
  readonly onStep?: (step: FeedStep) => void;
  /** Logs of every step that has some of these, with the step, in the order of the block; of removed blocks in reverse. */
  readonly logs?: {
    readonly criteria: LogCriteria;
    readonly onLogs: (logs: readonly BlockLog[], step: FeedStep) => void;
  };
  /** Values that it holds beside these criteria: they count in the same bound. */
  readonly values?: number;
  /**
   * Asked before each step of what happened between its start and now: what to wait for while what it got before is still to be sent. Not
   * asked once it has caught up.
   */
  readonly waitUntilReady?: () => Promise<void> | undefined;
  /** It cannot go on without a gap (see `FeedError`), or has thrown. It hears nothing more. */
  readonly onEnd: (reason: FeedError) => void;
};

/**
 * `unknownBlock`: the start is no block that is known here; `tooFar`: more blocks than are given; `tooMuch`: the criteria of the owner's
 * listeners name more than they may; `closed`: the network is no longer served.
 */
export class FeedError extends UntracedError {
  readonly kind: 'unknownBlock' | 'tooFar' | 'tooMuch' | 'closed';
  /** The highest block of the chain below a start that is refused, where it is known: to go on after. */
  readonly ancestor: BlockPlace | undefined;

  constructor(kind: FeedError['kind'], message: string, ancestor?: BlockPlace) {
    super(message);
    this.name = 'FeedError';
    this.kind = kind;
    this.ancestor = ancestor;
  }
}

/** What happened on the served chain between two points. */
export type FeedChanges = {
  /** At most `readSteps` of the feed's limits; then `last` is below the head, and the next question gives more. */
  readonly steps: readonly FeedStep[];
  /** Where the next question goes on. */
  readonly last: { readonly number: bigint; readonly hash: string };
};

/** Blocks and logs of a network's served chain as they come: each once, in order, whatever happens to its nodes. */
export interface NetworkFeed {
  /**
   * Joins the feed: first what happened since `start`, then what happens, without a seam. Resolves once the start is found.
   * @returns how to leave it
   * @throws FeedError
   */
  join(start: FeedStart, listener: FeedListener, scope: RequestScope): Promise<() => void>;
  /** What happened since `start`, up to now. @throws FeedError */
  read(start: FeedStart, scope: RequestScope): Promise<FeedChanges>;
  /** Matching logs of a step; those of a removed block in reverse, with `removed: true`. */
  readLogs(step: FeedStep, matches: LogTest, scope: RequestScope): Promise<readonly BlockLog[]>;
  /** Hashes of transactions that wait for a block, each once. Undefined where the chain has none. */
  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined;
  /** Whether there is a served head; listeners hear of changes. */
  readonly isSynced: boolean;
  watchSync(listener: (isSynced: boolean) => void): () => void;
  close(): void;
}
