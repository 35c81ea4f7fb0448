/** Faults of a node, in three independent layers: content, wording and delivery of its answers. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** One received JSON-RPC call. */
export type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Sends a call to the real node; the call may differ from the received one. */
export type AskNode = (call: Pick<Call, 'method' | 'params'>) => Promise<Answer>;

/** Position where a body is cut, as a share of its length. */
export type CutPosition = () => number;

/** Framing by which the reader can detect an incomplete body. */
export type Framing =
  /** A Content-Length, or a frame header, announces more bytes than follow. */
  | 'length'
  /** Chunks or frames without the last one. */
  | 'pieces'
  /** Undetectable: the text itself is cut and framed as complete. */
  | 'none';

export type Delivery =
  /** The port is closed. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted, but nothing is sent. */
  | { readonly kind: 'hang' }
  /** One byte is sent every `TRICKLE_MS`. */
  | { readonly kind: 'trickle' }
  | { readonly kind: 'cut'; readonly at: CutPosition; readonly framing: Framing }
  /** TCP reset in the middle of the response. */
  | { readonly kind: 'reset' }
  /** A small body that decompresses to `BOMB_BYTES`. */
  | { readonly kind: 'bomb' }
  /** An HTTP status instead of a response; over WebSocket it answers the upgrade, and open sockets are closed. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The fault itself writes to the connection. */
  | { readonly kind: 'own'; pour(answer: RawAnswer): void };

/** Input of a fault that writes to the connection itself. */
export type RawAnswer = {
  /** Text that would be sent without the fault. */
  readonly text: string;
  /** First call that the fault concerns. */
  readonly call: Call;
  readonly socket: Socket;
  /** WebSocket on top of `socket`; absent over HTTP. */
  readonly webSocket?: WebSocket;
};

export type Fault = {
  /** Selects the calls that it concerns; without it all calls and connections. */
  readonly concerns?: (call: Call) => boolean;
  /** Replaces the node's answer. */
  readonly answer?: (call: Call, ask: AskNode) => Promise<Answer>;
  /** Rewrites one response object, including its id. */
  readonly response?: (response: Readonly<Record<string, unknown>>) => unknown;
  /** Rewrites the whole text that is sent. */
  readonly text?: (text: string) => string;
  readonly delivery?: Delivery;
};

export const TRICKLE_MS = 50;
export const BOMB_BYTES: number = 1024 * 1024 * 1024;
