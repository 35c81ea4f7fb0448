import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { CallerCoalescing } from './coalescing-policy.ts';

/** Options of a call. `deadline` and `signal` apply until the reply is known. When a streamed result has begun, only `cancel` ends it. */
export type SendOptions = {
  /** Deadline, ms on the clock of `performance.now()`; the transport's own limits may end the call earlier. */
  readonly deadline: number;
  /** When aborted, the call rejects with fault `aborted` and releases its resources. */
  readonly signal?: CancelSignal;
  /** W3C trace context that is sent with the call (HTTP only). */
  readonly traceParent?: string;
  /** Object that identifies the client's batch to which the call belongs. Calls that have the same object may share a request. */
  readonly batch?: object | undefined;
};

/** Callbacks for the outcome of a request. */
export type OnComplete<T> = {
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** Callbacks for the outcomes of several requests, each with the position of its request. */
export type OnCompleteMany = {
  readonly resolve: (position: number, reply: NodeReply) => void;
  readonly reject: (position: number, fault: UpstreamFault) => void;
};

/** Kinds of notifications that nodes send to subscribers. */
export type SubscriptionKind = 'newHeads' | 'newPendingTransactions';

/** Receives the notifications of a node. */
export type AnnouncementListener = {
  /** Takes the `result` of one notification as a JSON value: a header object, or the hash of a transaction. */
  onResult(result: unknown): void;
  /** Called when notifications stop, because the node is disconnected or does not offer them; `onReady` follows when they begin again. */
  onLost(): void;
  /** Called when notifications begin to arrive, also after `onLost`; some may have been missed. */
  onReady(): void;
};

/** The connection to one node. Every rejection is an `UpstreamFault`. */
export interface Transport {
  /**
   * Sends one call. A result that is longer than `streamBytes` is returned as a `JsonStream` as soon as its length is known to be greater: from the
   * Content-Length, or when that many bytes have arrived. A result that is not a stream has been checked to be one complete JSON value.
   */
  send(call: NodeCall, options: SendOptions): Promise<NodeReply>;
  /**
   * Sends calls with the same options, like `send` for each of them, but without a promise per call. A call may complete before this function
   * returns. Undefined if the transport creates a promise per call in any case.
   */
  sendMany?(calls: readonly NodeCall[], options: SendOptions, complete: OnCompleteMany): void;
  /** Sends several calls in one JSON-RPC batch; the replies are in the order of the calls, and all results are text. */
  sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]>;
  /**
   * Subscribes to notifications of one kind. Undefined if the transport does not support subscriptions.
   * @returns a function that ends the subscription
   */
  watch?(kind: SubscriptionKind, listener: AnnouncementListener): () => void;
  /** Ends all connections; calls in flight reject with `unreachable`. */
  close(): Promise<void>;
}

/** URL and headers of one node. URL and headers contain secrets, so no part of them may ever be logged. */
export type Endpoint = {
  /** URL of the node: `http:`, `https:`, `ws:` or `wss:`. The URL may contain a key in its path or query, but never user or password. */
  readonly url: URL;
  /** Headers sent with every request, or with the upgrade: authorization and custom headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Limits for sending several calls in one request (HTTP). */
export type BatchOptions = {
  /** Maximum number of calls in one batch; 1 disables batches. */
  readonly items: number;
  readonly callers: CallerCoalescing;
};

/** Counts the credits that calls cost at the provider of a node. */
export type CallMeter = {
  priceOf(method: string): number;
  charge(credits: number): void;
};

/** Bounds of one transport. Durations are milliseconds. */
export type TransportLimits = {
  /** Maximum number of concurrent connections to the node (HTTP). */
  readonly connections: number;
  /** Maximum number of calls in flight; further calls reject with `rateLimited`. */
  readonly inFlight: number;
  readonly batch: BatchOptions;
  readonly connectTimeout: number;
  /** Time limit from the request to the first byte of the answer; on a WebSocket, to the complete answer. */
  readonly answerTimeout: number;
  /** Time limit for each 4 KiB of an answer while a consumer waits for them (HTTP). */
  readonly stallTimeout: number;
  /** Maximum size of one answer after decompression, bytes. */
  readonly answerBytes: number;
  /** Size above which a result is returned as a stream, bytes. */
  readonly streamBytes: number;
  /** Interval between pings of a WebSocket. If no byte arrives between two pings, the connection is terminated. */
  readonly pingInterval: number;
  /** Opens a reservation for one answer in the memory that the answers of all nodes share. */
  readonly memory: () => AnswerMemory;
  /** Called when the node has sent more than a request can need, or too many messages that were not requested. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
  /**
   * Meter of the credits of calls; absent if calls are free. A call is charged when its answer arrives, or when it is cancelled or times out after it
   * was sent. A call is not charged if its connection fails, or if its answer has the HTTP status 402, 429 or 5xx, which providers do not bill.
   */
  readonly meter?: CallMeter | undefined;
};
