import type { NodeRefusal } from '../chain/node-refusal.ts';
import type { BoundsOf } from '../util/bounds.ts';

/** Why an upstream gave no answer that can be used. Another upstream may do better. */
export type FaultKind =
  /** No connection, or it broke before the answer was complete. */
  | 'unreachable'
  /** The upstream's own time was up: connecting, first byte, or a pause between bytes. */
  | 'timeout'
  /** What came is no JSON-RPC answer to the call: no JSON, another id, cut short, badly compressed. */
  | 'malformed'
  /** The answer exceeds the bound on its size. */
  | 'tooLarge'
  /** The answer has more than its question can need: more bytes, values or levels, whoever asked. The node is at fault. */
  | 'excessive'
  /** An HTTP status that says the node or what stands before it is out of order. */
  | 'httpStatus'
  /** The node refuses our credentials. */
  | 'unauthorized'
  /** Too many requests for this upstream; `retryAfterMs` says when to come back. */
  | 'rateLimited'
  /** The node lacks a block or a state that the network has. */
  | 'missing'
  /** The node has thrown old history away, as most do by now (EIP-4444). */
  | 'pruned'
  /** The node does not have the method. */
  | 'unsupported'
  /** The node refuses so many blocks, or so many results, of one question for logs. */
  | 'tooMuch'
  /** The answer contradicts what is known of the block. */
  | 'wrong'
  /** An error that is not understood. */
  | 'unknown'
  /** The caller gave up: no fault of the upstream. */
  | 'aborted';

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  readonly retryAfterMs: number | undefined;
  /** For `rateLimited`: the bound that a caller is refused by where no node answers. */
  readonly bound: BoundsOf<'busy'>;

  /** `message` may reach a client: it never holds an address, a key or a body. */
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

/** A null for what the network has, which no second upstream has confirmed. */
export class LoneNull extends UpstreamFault {
  constructor(message: string) {
    super('missing', message);
  }
}

/**
 * An error that is not understood, of a method that executes. Most likely the execution failed: it is an answer when a
 * second upstream gives the same text, and a fault when a second one has a result.
 */
export class UnknownExecutionError extends UpstreamFault {
  /** As the node gave it. */
  readonly code: number;

  constructor(code: number, message: string) {
    super('unknown', message);
    this.code = code;
  }
}

/** A node's error to a method that is passed on, which another node may do without: `refusal` is the answer where all nodes fail. It is no fault of the node. */
export class PassedFault extends UpstreamFault {
  readonly refusal: NodeRefusal;

  constructor(kind: 'unknown' | 'missing' | 'pruned', refusal: NodeRefusal) {
    super(kind, refusal.message);
    this.refusal = refusal;
  }
}

/** The node says the same to a method that cannot exist: whether it has this one is not known. */
export class UnclearMethod extends UpstreamFault {
  constructor(method: string) {
    super('unsupported', `${method} is not available`);
  }
}

/**
 * An answer that does not recompute to its block. When the answers of all nodes fail alike it may be that the chain's rules are not known here.
 */
export class Refutation extends UpstreamFault {
  readonly blockHash: string;
  /** Which part of the answer, a `Subject`. */
  readonly subject: string;

  constructor(blockHash: string, subject: string, text: string) {
    super('wrong', `the answer is refuted by its block: ${text}`);
    this.blockHash = blockHash;
    this.subject = subject;
  }
}

/** No vendor takes fewer blocks; a smaller number in its words is another one. */
const MIN_ALLOWED = 5;

/** Logs that a node refuses because there is too much to search (`range`) or to answer (`size`): fewer blocks may do. */
export class LogRefusal extends UpstreamFault {
  readonly of: 'range' | 'size';
  /** Numbers in what the node said: the blocks that it would take are among them. */
  readonly #numbers: readonly number[];

  constructor(of: 'range' | 'size', message: string, ...numbers: readonly number[]) {
    super('tooMuch', message);
    this.of = of;
    this.#numbers = numbers;
  }

  /** Blocks that the node would take, fewer than it has refused; undefined when it did not say. */
  allowedBelow(blocks: number): number | undefined {
    const allowed = this.#numbers.filter((number) => number >= MIN_ALLOWED && number < blocks);
    return allowed.length === 0 ? undefined : Math.max(...allowed);
  }
}
