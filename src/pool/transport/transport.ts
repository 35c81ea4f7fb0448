import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { CallerCoalescing } from './coalescing-policy.ts';

/** Options of a call. Deadline and signal apply until the reply is known; a stream is ended by `cancel`. */
export type SendOptions = {
  /** Milliseconds on the clock of `performance.now()`; the transport's own limits may end earlier. */
  readonly deadline: number;
  /** Aborted when the caller gives up: the call rejects with fault `aborted` and releases its resources. */
  readonly signal?: CancelSignal;
  /** W3C trace context to be sent along, where there are headers. */
  readonly traceParent?: string;
  /** Identity of the client's batch that the call is an item of: its items share requests. */
  readonly batch?: object | undefined;
};

/** Callbacks for the outcome of a request. */
export type OnComplete<T> = {
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** Callbacks for the outcomes of several requests, each by its position. */
export type OnCompleteMany = {
  readonly resolve: (position: number, reply: NodeReply) => void;
  readonly reject: (position: number, fault: UpstreamFault) => void;
};

/** Kinds of notifications that nodes send to subscribers. */
export type SubscriptionKind = 'newHeads' | 'newPendingTransactions';

/** Receives the notifications of a node. */
export type AnnouncementListener = {
  /** Takes the `result` of one notification as JSON value: a header object, or the hash of a transaction. */
  onResult(result: unknown): void;
  /** Notifications stop until `onReady`: the node is disconnected, or does not offer them. */
  onLost(): void;
  /** Notifications arrive (again); some may have been missed. */
  onReady(): void;
};

/** The connection to one node. Every rejection is an `UpstreamFault`. */
export interface Transport {
  /**
   * Sends one call. A result longer than the stream threshold comes as a `JsonStream` as soon as that is known: by the length of the answer, or when
   * that much of it has arrived; everything else comes as text, checked to be one complete JSON value.
   */
  send(call: NodeCall, options: SendOptions): Promise<NodeReply>;
  /**
   * Sends calls that share their options, like `send` of each but without a promise per call. A call may complete before this returns. Absent where
   * it would save nothing.
   */
  sendMany?(calls: readonly NodeCall[], options: SendOptions, complete: OnCompleteMany): void;
  /** Sends several calls in one JSON-RPC batch; replies are in the order of the calls, results always as text. */
  sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]>;
  /**
   * Subscribes to notifications of one kind; absent where the transport has none.
   * @returns a function that ends the subscription
   */
  watch?(kind: SubscriptionKind, listener: AnnouncementListener): () => void;
  /** Ends all connections; calls in flight reject with `unreachable`. */
  close(): Promise<void>;
}

/** Address and headers of one node. Nothing here may ever be logged. */
export type Endpoint = {
  /** `http:`, `https:`, `ws:` or `wss:`; may contain a key in its path or query, never credentials. */
  readonly url: URL;
  /** Headers sent with every request, or with the upgrade: authorization and custom headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Limits on requests that several calls share (HTTP). */
export type BatchOptions = {
  /** Maximum calls in one batch; 1 disables batches. */
  readonly items: number;
  readonly callers: CallerCoalescing;
};

/** Bounds of one transport. Durations are milliseconds. */
export type TransportLimits = {
  /** Maximum concurrent connections to the node (HTTP). */
  readonly connections: number;
  /** Maximum calls in flight; further ones reject with `rateLimited`. */
  readonly inFlight: number;
  readonly batch: BatchOptions;
  readonly connectTimeout: number;
  /** Time from the request to the first byte of the answer; on a WebSocket, where answers come whole, to all of it. */
  readonly answerTimeout: number;
  /** Time for each 4 KiB of an answer, while a reader waits for them. */
  readonly stallTimeout: number;
  /** Maximum bytes of one answer, after decompression. */
  readonly answerBytes: number;
  /** A longer result is returned as a stream, once it is known to be longer. */
  readonly streamBytes: number;
  /** Time between two pings of a WebSocket; some byte must arrive before the next. */
  readonly pingInterval: number;
  /** Opens a reservation for one answer in the memory that answers of all nodes share. */
  readonly memory: () => AnswerMemory;
  /** Notes that the node sent more than a request can need, or messages that were not requested. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
};
