/** What can be wrong with a node, in three independent layers: what it says, how it words it, how it sends it. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** One JSON-RPC call as it came. */
export type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Has the real node answer; the call may be another than the one that came. */
export type AskNode = (call: Pick<Call, 'method' | 'params'>) => Promise<Answer>;

/** Where a body ends when it is cut, as a share of its length. */
export type CutPosition = () => number;

/** How the reader could tell that a body is not complete. */
export type Framing =
  /** A length, or a frame header, announces more than comes. */
  | 'length'
  /** Pieces without the last one. */
  | 'pieces'
  /** Not at all: the text itself is cut, its end looks like one. */
  | 'none';

export type Delivery =
  /** The port is closed. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted, nothing is ever sent. */
  | { readonly kind: 'hang' }
  /** One byte every `TRICKLE_MS`. */
  | { readonly kind: 'trickle' }
  | { readonly kind: 'cut'; readonly at: CutPosition; readonly framing: Framing }
  /** TCP reset in the middle of the answer. */
  | { readonly kind: 'reset' }
  /** A little that decompresses to `BOMB_BYTES`. */
  | { readonly kind: 'bomb' }
  /** An HTTP status instead of an answer; over WebSocket upgrades get it, and open sockets are closed. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Written to the connection by the fault itself. */
  | { readonly kind: 'own'; pour(answer: RawAnswer): void };

/** What a fault that writes to the connection itself has at hand. */
export type RawAnswer = {
  /** What would be sent otherwise. */
  readonly text: string;
  /** The first call that the fault concerns. */
  readonly call: Call;
  readonly socket: Socket;
  /** On top of `socket`; absent over HTTP. */
  readonly webSocket?: WebSocket;
};

export type Fault = {
  /** Which calls it concerns; all of them, and connections too, when this is not given. */
  readonly concerns?: (call: Call) => boolean;
  /** What is said, instead of what the node says. */
  readonly answer?: (call: Call, ask: AskNode) => Promise<Answer>;
  /** One response object, with its id. */
  readonly response?: (response: Readonly<Record<string, unknown>>) => unknown;
  /** The whole text that is sent. */
  readonly text?: (text: string) => string;
  readonly delivery?: Delivery;
};

export const TRICKLE_MS = 50;
export const BOMB_BYTES: number = 1024 * 1024 * 1024;
