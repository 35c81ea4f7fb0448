import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';
import type { BlockLog, BlockPlace } from '../chain/chain.ts';
import type { LogFilter } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Criteria of a subscription or filter for logs of any block. */
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

/**
 * Change of the served chain by one block. In a reorg, blocks are removed from the highest down, and then added from the lowest up. The parent of
 * each added block is the head before the step.
 */
export type FeedStep = { readonly kind: 'added' | 'removed'; readonly block: FeedBlock };

/** Start position: after the block with this hash, at the block with this number, or at the served head. */
export type FeedStart =
  | { readonly kind: 'after'; readonly hash: string }
  | { readonly kind: 'from'; readonly number: bigint }
  | { readonly kind: 'head' };

/**
 * Callbacks of a listener. All callbacks are called synchronously, and an exception ends only this listener. All listeners at the head receive the
 * same objects for a step, its block and its logs, so that derived values can be cached by identity.
 */
export type FeedListener = {
  /** Receives every step once and in order, before the logs of the step. If `logs` is set, a step is delivered only after its logs are available. */
  readonly onStep?: (step: FeedStep) => void;
  /** Receives the matching logs of each step that has matching logs, in block order. Logs of removed blocks are in reverse order. */
  readonly logs?: {
    readonly criteria: LogCriteria;
    readonly onLogs: (logs: readonly BlockLog[], step: FeedStep) => void;
  };
  /** Number of further values that the listener stores; these values count towards the same limit as the criteria. */
  readonly values?: number;
  /** Called before each past step until the listener has caught up. Returns a promise to await if earlier events are not sent yet. */
  readonly waitUntilReady?: () => Promise<void> | undefined;
  /**
   * Called when the listener cannot continue without a gap (see `FeedError`), or has thrown. After `onEnd`, no callback of the listener is called.
   */
  readonly onEnd: (reason: FeedError) => void;
};

/**
 * `unknownBlock`: the start is unknown, or a removed block is lost. `tooFar`: too many blocks are missing. `tooMuch`: the criteria of the owner's
 * listeners exceed the limit. `closed`: the network is no longer served, the feed is unused, or the listener has failed.
 */
export class FeedError extends UntracedError {
  readonly kind: 'unknownBlock' | 'tooFar' | 'tooMuch' | 'closed';
  /** Highest canonical ancestor of a rejected start, if it is known; a client may continue from there. */
  readonly ancestor: BlockPlace | undefined;

  constructor(kind: FeedError['kind'], message: string, ancestor?: BlockPlace) {
    super(message);
    this.name = 'FeedError';
    this.kind = kind;
    this.ancestor = ancestor;
  }
}

/** Changes of the served chain between two positions. */
export type FeedChanges = {
  /** If there are more than `readSteps` steps to the head, `last` is below the head, and the next read returns further steps. */
  readonly steps: readonly FeedStep[];
  /** Position from which the next `read` continues. */
  readonly last: { readonly number: bigint; readonly hash: string };
};

/** Live blocks and logs of a network's served chain. Each block and log is reported once and in order, independent of node failures. */
export interface NetworkFeed {
  /**
   * Joins the feed. The listener receives the steps since `start`, and then live steps, without a gap. Resolves after the start is found.
   * @returns a function that leaves the feed
   * @throws FeedError
   */
  join(start: FeedStart, listener: FeedListener, scope: RequestScope): Promise<() => void>;
  /** Returns the steps from `start` to the head, or the first `readSteps` steps and up to 63 more. @throws FeedError */
  read(start: FeedStart, scope: RequestScope): Promise<FeedChanges>;
  /** Returns the matching logs of a step. Logs of a removed block are in reverse order, with `removed: true`. */
  readLogs(step: FeedStep, matches: LogTest, scope: RequestScope): Promise<readonly BlockLog[]>;
  /** Reports hashes of pending transactions, each hash once. Returns undefined if the chain announces no pending transactions. */
  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined;
  /** True if there is a served head. Changes are reported by `watchSync`. */
  readonly isSynced: boolean;
  watchSync(listener: (isSynced: boolean) => void): () => void;
  close(): void;
}
