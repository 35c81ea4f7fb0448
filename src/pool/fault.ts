import type { NodeRefusal } from '../chain/node-refusal.ts';
import type { BoundsOf } from '../util/bounds.ts';

/** Reason why an upstream gave no usable answer. Another upstream may succeed. */
export type FaultKind =
  /** No connection, or it broke before the response was complete. */
  | 'unreachable'
  /** The upstream exceeded a time limit: for connecting, for the first byte, or between bytes. */
  | 'timeout'
  /** The response is no JSON-RPC answer to the call: invalid JSON, another id, truncated, badly compressed. */
  | 'malformed'
  /** The response exceeds the limit on its size. */
  | 'tooLarge'
  /** The response has more bytes, values or levels than its request can need, whoever sent it. The node is at fault. */
  | 'excessive'
  /** An HTTP status that says that the node or a proxy before it is out of order. */
  | 'httpStatus'
  /** The node rejects our credentials. */
  | 'unauthorized'
  /** Too many requests for this upstream; `retryAfterMs` is the time until the next one is allowed. */
  | 'rateLimited'
  /** The node lacks a block or a state that the network has. */
  | 'missing'
  /** The node has pruned old history, as most do by now (EIP-4444). */
  | 'pruned'
  /** The node does not support the method. */
  | 'unsupported'
  /** The node refuses the number of blocks or of results of a request for logs. */
  | 'tooMuch'
  /** The answer contradicts known data of the block. */
  | 'wrong'
  /** An error that is not recognized. */
  | 'unknown'
  /** The caller gave up; no fault of the upstream. */
  | 'aborted';

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  readonly retryAfterMs: number | undefined;
  /** For `rateLimited`: the bound in the refusal that a caller gets if no node answers. */
  readonly bound: BoundsOf<'busy'>;

  /** @param message may reach a client, so it never contains an address, a key or a body */
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

/** A null for something that the network has, which no second upstream has confirmed. */
export class LoneNull extends UpstreamFault {
  constructor(message: string) {
    super('missing', message);
  }
}

/**
 * An unrecognized error of a method that executes. Most likely the execution failed: the error is an answer when a
 * second upstream sends the same text, and a fault when a second one has a result.
 */
export class UnknownExecutionError extends UpstreamFault {
  /** Error code as the node sent it. */
  readonly code: number;

  constructor(code: number, message: string) {
    super('unknown', message);
    this.code = code;
  }
}

/**
 * A node's error for a method that is passed on, where another node may succeed. `refusal` is the answer if all nodes fail. It does not count as a
 * fault of the node.
 */
export class PassedFault extends UpstreamFault {
  readonly refusal: NodeRefusal;

  constructor(kind: 'unknown' | 'missing' | 'pruned', refusal: NodeRefusal) {
    super(kind, refusal.message);
    this.refusal = refusal;
  }
}

/** The node sends the same error for a method that cannot exist, so it is unknown whether it supports this one. */
export class UnclearMethod extends UpstreamFault {
  constructor(method: string) {
    super('unsupported', `${method} is not available`);
  }
}

/** An answer that does not recompute to its block. If the answers of all nodes fail alike, the chain may have rules that are unknown here. */
export class Refutation extends UpstreamFault {
  readonly blockHash: string;
  /** Part of the answer that failed, a `Subject`. */
  readonly subject: string;

  constructor(blockHash: string, subject: string, text: string) {
    super('wrong', `the answer is refuted by its block: ${text}`);
    this.blockHash = blockHash;
    this.subject = subject;
  }
}

/** No vendor accepts fewer blocks; a smaller number in the node's message has another meaning. */
const MIN_ALLOWED = 5;

/** A node's refusal of logs because there is too much to search (`range`) or to return (`size`); fewer blocks may succeed. */
export class LogRefusal extends UpstreamFault {
  readonly of: 'range' | 'size';
  /** Numbers in the node's message, one of which may be the number of blocks that it accepts. */
  readonly #numbers: readonly number[];

  constructor(of: 'range' | 'size', message: string, ...numbers: readonly number[]) {
    super('tooMuch', message);
    this.of = of;
    this.#numbers = numbers;
  }

  /** Returns the number of blocks that the node accepts, fewer than it has refused; undefined if it did not say. */
  allowedBelow(blocks: number): number | undefined {
    const allowed = this.#numbers.filter((number) => number >= MIN_ALLOWED && number < blocks);
    return allowed.length === 0 ? undefined : Math.max(...allowed);
  }
}
