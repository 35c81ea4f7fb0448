import type { NodeRefusal } from '../chain/node-refusal.ts';
import type { BoundsOf } from '../util/bounds.ts';

/** Reason why an upstream gave no usable answer. Another upstream may succeed. */
export type FaultKind =
  /** There was no connection, or it broke before the response was complete. */
  | 'unreachable'
  /** The upstream exceeded a time limit: for connecting, for the first byte, or between bytes. */
  | 'timeout'
  /** The response is not a JSON-RPC answer to the call: invalid JSON, another id, truncated, or badly compressed. */
  | 'malformed'
  /** The response exceeds the size limit. */
  | 'tooLarge'
  /**
   * The response has more bytes, values or levels than its request can need, for any client. No honest node sends an excessive response, so it counts
   * as a fault of the node.
   */
  | 'excessive'
  /** The HTTP status reports a failure of the node or of a proxy in front of it. */
  | 'httpStatus'
  /** The node rejects the credentials of this service. */
  | 'unauthorized'
  /** Too many requests were sent to this upstream; `retryAfterMs` is the time until the next request is allowed. */
  | 'rateLimited'
  /** The node lacks a block or a state that the network has. */
  | 'missing'
  /** The node has pruned old history, as most nodes do (EIP-4444). */
  | 'pruned'
  /** The node does not support the method. */
  | 'unsupported'
  /** The node refuses a log request because it has too many blocks or results. */
  | 'tooMuch'
  /** The answer contradicts known data of its block. */
  | 'wrong'
  /** The error is not recognized. */
  | 'unknown'
  /** The caller cancelled the request; this is no fault of the upstream. */
  | 'aborted';

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  readonly retryAfterMs: number | undefined;
  /** For `rateLimited`: bound that the error to the client names if no node answers. */
  readonly bound: BoundsOf<'busy'>;

  /** @param message text that may reach a client, so it must never contain an address, a key or a body */
  constructor(
    kind: FaultKind,
    message: string,
    retryAfterMs?: number,
    bound: BoundsOf<'busy'> = 'nodes.rate',
  ) {
    super(message);
    this.name = 'UpstreamFault';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.bound = bound;
  }
}

/** A null that no second upstream has confirmed, for an item that the network should have. */
export class LoneNull extends UpstreamFault {
  constructor(message: string) {
    super('missing', message);
  }
}

/**
 * An unrecognized error of a method that executes code. If a second upstream sends the same text, the error is the answer: the execution failed. If a
 * second upstream has a result, the error is a fault of the node.
 */
export class UnknownExecutionError extends UpstreamFault {
  /** Error code sent by the node. */
  readonly code: number;

  constructor(code: number, message: string) {
    super('unknown', message);
    this.code = code;
  }
}

/**
 * A node's error for a passed-through method, if another node may succeed. If all nodes fail, `refusal` is the answer to the client. The error does
 * not count as a fault of the node.
 */
export class PassedFault extends UpstreamFault {
  readonly refusal: NodeRefusal;

  constructor(kind: 'unknown' | 'missing' | 'pruned', refusal: NodeRefusal) {
    super(kind, refusal.message);
    this.refusal = refusal;
  }
}

/** The node sends an equal error for a method that cannot exist, so it is unknown whether the node supports the requested method. */
export class UnclearMethod extends UpstreamFault {
  constructor(method: string) {
    super('unsupported', `${method} is not available`);
  }
}

/**
 * Fault of an answer that was recomputed from its block and found wrong. If the answers of all nodes are refuted in the same way, the chain may have
 * rules that this service does not know.
 */
export class Refutation extends UpstreamFault {
  readonly blockHash: string;
  /** Kind of data that was refuted, a `Subject` (for example the receipts of a block). */
  readonly subject: string;

  constructor(blockHash: string, subject: string, text: string) {
    super('wrong', `the answer is refuted by its block: ${text}`);
    this.blockHash = blockHash;
    this.subject = subject;
  }
}

/** Minimum number in a refusal that may be a limit of blocks. Every vendor accepts at least 5 blocks. */
const MIN_ALLOWED = 5;

/**
 * A node's refusal of a request for logs because there is too much to search (`range`) or to return (`size`); with fewer blocks, the request may
 * succeed.
 */
export class LogRefusal extends UpstreamFault {
  readonly of: 'range' | 'size';
  /** Numbers in the node's message; one of them may be the number of blocks that the node accepts. */
  readonly #numbers: readonly number[];

  constructor(of: 'range' | 'size', message: string, ...numbers: readonly number[]) {
    super('tooMuch', message);
    this.of = of;
    this.#numbers = numbers;
  }

  /**
   * Returns the largest number in the node's message that is at least `MIN_ALLOWED` and less than `blocks`, the number of blocks refused. Returns
   * undefined if the message has no such number.
   */
  allowedBelow(blocks: number): number | undefined {
    const allowed = this.#numbers.filter((number) => number >= MIN_ALLOWED && number < blocks);
    return allowed.length === 0 ? undefined : Math.max(...allowed);
  }
}
