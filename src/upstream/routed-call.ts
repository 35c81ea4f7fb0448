import type { CacheKey } from '../cache/cache.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { NodeCall } from './node-call.ts';
import type { Route } from './route.ts';
import type { Upstream } from './upstream.ts';

/** A block that has been looked up; `hash` is undefined where only its height is known. */
export type BlockPosition = { readonly number: bigint; readonly hash: string | undefined };

/**
 * What a `null` means. `truth`: it is believed. `claim`: believed when a second upstream says the same or there is no
 * second. `doubt`: believed only when a second one says the same. `fault`: never believed, because what is asked for
 * is known to exist.
 */
export type NullMeaning = 'truth' | 'claim' | 'doubt' | 'fault';

/** One question to the pool, whichever of its nodes answers it. */
export type RoutedCall = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** The same with the block named by hash (EIP-1898), for nodes that are known to understand it. */
  readonly paramsByHash?: JsonText;
  /** What a node that lacks the method is asked instead, in batches; the answer is the array of the results. */
  readonly batch?: () => readonly NodeCall[];
  /** The answer is needed as a whole: a stream is collected before it is checked, kept and shared. */
  readonly isText?: boolean;
  /**
   * A stream is collected as far as that is cheap, so that most of what can be wrong with it is found while another node
   * can still be asked, or an error given.
   */
  readonly isHeld?: boolean;
  /** Whether `check` makes sure that the answer belongs to the block of `key`. */
  readonly isBound?: boolean;
  /** Only upstreams with a vote in the head are asked: it is about where the chain is. */
  readonly needsVote?: boolean;
  /** Only upstreams that have this block are asked. */
  readonly block?: BlockPosition;
  /** Blocks whose logs are asked for. */
  readonly logBlocks?: number;
  /** `pending` is whatever one node has in mind: the same node is asked every time as long as it is well. */
  readonly isSticky?: boolean;
  /** Under what the answer is shared and kept; absent where it may differ from one moment to the next. */
  readonly key?: CacheKey;
  /** Under what the answer is shared among those who ask at the same time, where it is not kept. */
  readonly sharedAs?: string;
  readonly nulls: NullMeaning;
  /**
   * Compares a result with what is known of it and hands it on; a stream is checked while it is read.
   * @throws UpstreamFault `wrong` or `malformed`
   */
  readonly check?: (result: JsonResult) => JsonResult;
};

/** Who gave the answer. */
export type Witness = { upstream?: Upstream };

/** A call on its way through the policies; each of them sees what those before it have decided. */
export type Exchange = {
  readonly call: RoutedCall;
  readonly scope: RequestScope;
  /** Upstreams that must not be asked (again). */
  readonly except?: ReadonlySet<Upstream>;
  /** Where the upstream that answered is noted, for callers that want to ask another one next. */
  readonly witness?: Witness;
};

/** An exchange for which it is decided which upstreams may be asked: best first. */
export type Routed = Exchange & { readonly route: Route };

/** An exchange for which it is decided which upstream is asked. */
export type Directed = Routed & { readonly upstream: Upstream };

/**
 * Answers an exchange. Rejects with ChainError where the node's answer is an error (a revert, an invalid parameter),
 * and with UpstreamFault where there is no answer that can be used.
 */
export type Handler<E extends Exchange = Exchange> = (exchange: E) => Promise<JsonResult>;

/** Something that happens around the asking: it gets exchanges of type `In` and hands them on as `Out`. */
export type Policy<In extends Exchange = Exchange, Out extends In = In> = (next: Handler<Out>) => Handler<In>;

/**
 * Policies from the outside in. What a policy needs to be decided has to be decided by those around it: in any other
 * order the list does not compile.
 */
export class PolicyStack<Out extends Exchange> {
  readonly #wrap: (innermost: Handler<Out>) => Handler;

  private constructor(wrap: (innermost: Handler<Out>) => Handler) {
    this.#wrap = wrap;
  }

  /** A stack of this policy alone. */
  static of<Out extends Exchange>(outermost: Policy<Exchange, Out>): PolicyStack<Out> {
    return new PolicyStack(outermost);
  }

  /** The stack with one more policy inside of all others. */
  around<Next extends Out>(policy: Policy<Out, Next>): PolicyStack<Next> {
    return new PolicyStack((innermost) => this.#wrap(policy(innermost)));
  }

  /** The handler that all policies are around of. */
  over(innermost: Handler<Out>): Handler {
    return this.#wrap(innermost);
  }
}
