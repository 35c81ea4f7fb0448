import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';
import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { CallerJoining } from './join-policy.ts';

/** Both count until the reply is known; a stream is ended by `cancel`. */
export type SendOptions = {
  /** Milliseconds on the clock of `performance.now()`; the transport's own limits may end earlier. */
  readonly deadline: number;
  /** The caller gives up: rejects with fault `aborted` and frees what the call held. */
  readonly signal?: CancelSignal;
  /** W3C trace context to be sent along, where there are headers. */
  readonly traceParent?: string;
  /** Identity of the client's batch that the call is an item of: its items share requests. */
  readonly batch?: object | undefined;
};

/** What becomes of a request. */
export type Settle<T> = {
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** The same of several, each by its position. */
export type SettleMany = {
  readonly resolve: (position: number, reply: NodeReply) => void;
  readonly reject: (position: number, fault: UpstreamFault) => void;
};

/** What nodes announce to those that subscribe. */
export type SubscriptionKind = 'newHeads' | 'newPendingTransactions';

/** Takes notice of what a node announces. */
export type AnnouncementListener = {
  /** The `result` of one notification as JSON value: a header object, or the hash of a transaction. */
  onResult(result: unknown): void;
  /** No announcements until further notice: disconnected, or the node does not offer them. */
  onLost(): void;
  /** Announcements are coming (again); some may have been missed. */
  onReady(): void;
};

/** The way to one node. Every rejection is an `UpstreamFault`. */
export interface Transport {
  /**
   * One call. A result longer than the stream threshold comes as a `JsonStream` as soon as that is known: by the length of the
   * answer, or when that much of it has arrived; everything else as text, checked to be one complete JSON value.
   */
  send(call: NodeCall, options: SendOptions): Promise<NodeReply>;
  /**
   * The same as `send` of each, of calls that have their options in common: without a promise for any. What becomes of a call may be told
   * before this returns. Absent where it would save nothing.
   */
  sendMany?(calls: readonly NodeCall[], options: SendOptions, settle: SettleMany): void;
  /** Several calls in one JSON-RPC batch; replies in the order of the calls, results always as text. */
  sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]>;
  /** Announcements of one kind; undefined where the transport has none. Returns how to end them. */
  watch?(kind: SubscriptionKind, listener: AnnouncementListener): () => void;
  /** Ends all connections; calls in flight reject with `unreachable`. */
  close(): Promise<void>;
}

/** How to reach one node. Nothing here may ever be logged. */
export type Endpoint = {
  /** `http:`, `https:`, `ws:` or `wss:`; may hold a key in its path or query, never credentials. */
  readonly url: URL;
  /** Sent with every request, or with the upgrade: authorization and custom headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Which calls may share a request (HTTP). */
export type BatchOptions = {
  /** Calls in one batch; 1 is none. */
  readonly items: number;
  readonly callers: CallerJoining;
};

/** Bounds of one transport. Durations are milliseconds. */
export type TransportLimits = {
  /** Connections to the node at the same time (HTTP). */
  readonly connections: number;
  /** Calls in flight at the same time; what comes on top rejects with `rateLimited`. */
  readonly inFlight: number;
  readonly batch: BatchOptions;
  readonly connectTimeout: number;
  /** From the request to the first byte of the answer; on a WebSocket, where answers come whole, to all of it. */
  readonly answerTimeout: number;
  /** From one 4 KiB of an answer to the next, while a reader waits for them. */
  readonly stallTimeout: number;
  /** One answer, after decompression. */
  readonly answerBytes: number;
  /** A longer result is handed out as a stream, once it is known to be longer. */
  readonly streamBytes: number;
  /** Between two pings of a WebSocket; some byte must come before the next. */
  readonly pingInterval: number;
  /** Opens what an answer holds, as a part of what answers of all nodes may. */
  readonly memory: () => AnswerMemory;
  /** The node sent more than a question can need, or what it was not asked for. */
  readonly onExcessive?: (fault: UpstreamFault) => void;
};
