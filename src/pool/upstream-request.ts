import { JsonBytes, type JsonResult, type JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { CacheKey } from '../cache/cache.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { NodeCall } from './node-call.ts';
import type { Route } from './route.ts';
import type { Upstream } from './upstream.ts';

/** Minimum size of a result that counts as long, bytes: joining this many bytes to a text takes 4 ms, or 7 ms if they are not ASCII. */
export const LONG_BYTES: number = 4 * 1024 * 1024;

/** A block that has been resolved; `hash` is undefined if only its height is known. */
export type BlockPosition = { readonly number: bigint; readonly hash: string | undefined };

/**
 * Meaning of a `null`. `truth`: the null is accepted. `claim`: accepted if a second upstream reports null too, or if there is no
 * second upstream. `doubt`: accepted only if a second upstream reports null too. `search`: accepted only if every available upstream reports
 * null. `certain`: accepted only if every upstream reports null; if an upstream is unavailable, the request fails. `fault`: never accepted, because
 * the item is known to exist.
 */
export type NullMeaning = 'truth' | 'claim' | 'doubt' | 'search' | 'certain' | 'fault';

/** Meanings of nulls for a network. No root proves that an item is absent. */
export type Absence = {
  /** Meaning of a null for an item that is requested by hash, if it is unknown whether the item exists. */
  readonly byHash: NullMeaning;
  /** Meaning of a null for a block that is requested by height, at or below the head. */
  readonly byHeight: NullMeaning;
  /** Meaning of a null for a block of the served chain whose height and hash are known. */
  readonly known: NullMeaning;
};

export const ABSENCE_UNVERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'doubt' };
export const ABSENCE_VERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'fault' };
/** For networks whose answers must be verified: a node can prove any item that it has, so all nodes are tried. */
export const ABSENCE_REQUIRED: Absence = { byHash: 'search', byHeight: 'fault', known: 'fault' };

/** One request to the pool, independent of the node that answers the request. */
export type UpstreamRequest = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** Parameters that name the block by hash (EIP-1898), for nodes that are known to support that. */
  readonly paramsByHash?: JsonText;
  /** The first parameter alone, if all others equal the node's defaults: for nodes that refuse more parameters (l2geth's `eth_estimateGas`). */
  readonly paramsAlone?: JsonText | undefined;
  /** Whether a node may refuse this method in any way, so that a refusal carries no information about the node. */
  readonly mayBeRefused?: boolean;
  /**
   * Whether a client sent a method that the service does not know: a node that lacks the method may return anything, and an error of a node is the
   * answer, unmodified.
   */
  readonly isPassed?: boolean;
  /** Whether the caller needs no answer: nodes are then not tried again after all of them have failed. */
  readonly isOptional?: boolean | undefined;
  /** Whether the call may change something: it is then not sent again to a node that may already have it. */
  readonly isOnce?: boolean;
  /** Requests for a node that lacks the method, which are sent in batches; the answer is the array of their results. */
  readonly batch?: (() => readonly NodeCall[]) | undefined;
  /** Whether the answer is needed as one text: a stream is collected before the answer is checked, cached and shared. */
  readonly isText?: boolean;
  /** Whether the answer is passed on without changes, so that a large one may be bytes. Otherwise the answer is text, unless it is a stream. */
  readonly takesBytes?: boolean;
  /** Whether an answer of more than `LONG_BYTES` may be bytes: joining it to a text would block the event loop for long. */
  readonly takesLongBytes?: boolean;
  /**
   * Whether a stream is buffered as far as that is cheap, so that most errors in the stream are found while another node
   * can still be tried, or an error returned.
   */
  readonly isBuffered?: boolean;
  /** Whether only the result of `check` is used: a stream is then read to its end before it counts as correct, and is returned empty. */
  readonly isDrained?: boolean;
  /**
   * Whether `check` verifies a stream as thoroughly as a complete answer: a long answer is then checked piece by piece as it arrives, before it is
   * buffered.
   */
  readonly checksStream?: boolean;
  /** Whether `check` makes sure that the answer belongs to the block of `key`. */
  readonly isBound?: boolean;
  /** Whether only upstreams with a vote on the head are used, because the request is about the position of the chain. */
  readonly needsVote?: boolean;
  /** Block that an upstream must have to be used. */
  readonly block?: BlockPosition;
  /** Number of blocks in a request for logs. */
  readonly logBlocks?: number;
  /** Whether the same node is used each time as long as it is healthy: a `pending` block is a view of one node. */
  readonly isSticky?: boolean;
  /** Transaction that the request is about: nodes that received this transaction from the caller are tried first. */
  readonly transactionHash?: string;
  /** Key under which the answer is shared and cached; absent if the answer may change at any moment. */
  readonly key?: CacheKey | undefined;
  /** Key under which concurrent callers share the answer, if it is not cached. */
  readonly sharedAs?: string;
  readonly nulls: NullMeaning;
  /** Replacement for a null before the comparison: some nodes return null for an empty list. */
  readonly nullAs?: JsonText | undefined;
  /**
   * Compares a result with known data and returns it; a stream is checked while it is read.
   * @param upstream sender of the result
   * @throws UpstreamFault `wrong` or `malformed`
   */
  readonly check?: (result: JsonResult, upstream?: Upstream) => JsonResult;
  /** Whether a result may be cached; an unverifiable result must not be cached as if it were verified. */
  readonly isKept?: () => boolean;
};

/** Converts a shared result to the form that a call accepts. */
export function fitResult<R extends JsonResult>(result: R, call: UpstreamRequest): R | JsonText {
  return result instanceof JsonBytes && !staysBytes(result.length, call) ? result.text : result;
}

/** Whether a result of this many bytes is passed on as bytes. */
export function staysBytes(
  length: number,
  { takesBytes, takesLongBytes }: Pick<UpstreamRequest, 'takesBytes' | 'takesLongBytes'>,
): boolean {
  return takesBytes === true || (takesLongBytes === true && length > LONG_BYTES);
}

/** The upstream that sent the answer. */
export type AnsweredBy = { upstream?: Upstream | undefined };

/**
 * Context of a request in the policies; each policy sees the decisions of the policies before it. There is one record per
 * request, which is completed on the way; it is copied only if several upstreams are used at the same time, or if another scope is needed.
 */
export type RequestContext = {
  readonly call: UpstreamRequest;
  readonly scope: RequestScope;
  /** Upstreams that must not be used, or not again. */
  readonly except?: ReadonlySet<Upstream> | undefined;
  /** Upstreams that are tried before other upstreams. */
  readonly prefer?: ReadonlySet<Upstream> | undefined;
  /** Records the upstream that answered, for callers that want a different one for the next request. */
  readonly witness?: AnsweredBy | undefined;
  /** Records the upstreams that do not have the requested item. */
  readonly lacking?: Set<Upstream> | undefined;
};

/** A request context with its upstreams, best first. */
export type RoutedRequest = RequestContext & { readonly route: Route };

/** A request context with its current upstream. */
export type Directed = RoutedRequest & {
  readonly upstream: Upstream;
  /** Time at which the upstream was chosen, on the clock of `performance.now()`. */
  readonly requestedAt: number;
};

/** Mutable record behind the request context; the types that the functions below return show which decisions are set. */
type ContextRecord = RequestContext & {
  route: Route | undefined;
  upstream: Upstream | undefined;
  requestedAt: number;
};

type GroupRecord = Omit<ContextRecord, 'scope'> & { scope: RequestScope };

/** Creates the mutable record of a request to nodes, with members for all decisions. */
export function openContext(context: RequestContext, scope: RequestScope): RequestContext {
  const record: ContextRecord = {
    call: context.call,
    scope,
    except: context.except,
    prefer: context.prefer,
    witness: context.witness ?? { upstream: undefined },
    lacking: context.lacking,
    route: undefined,
    upstream: undefined,
    requestedAt: 0,
  };
  return record;
}

/** Sets the route in the request context, and returns it. */
export function setRoute(context: RequestContext, route: Route): RoutedRequest {
  const record = context as ContextRecord;
  record.route = route;
  return record as RoutedRequest;
}

/** Sets the current upstream in the request context, and returns it. */
export function setUpstream(context: RoutedRequest, upstream: Upstream): Directed {
  const record = context as ContextRecord;
  record.upstream = upstream;
  record.requestedAt = performance.now();
  return record as Directed;
}

/** Sets the upstream, the scope and the time of sending in the request contexts of a group, and returns the group. */
export function setUpstreamOfAll(
  group: readonly (RoutedRequest | undefined)[],
  scope: RequestScope,
  upstream: Upstream,
): readonly (Directed | undefined)[] {
  const requestedAt = performance.now();
  for (const context of group as readonly (GroupRecord | undefined)[]) {
    if (context === undefined) continue;
    context.scope = scope;
    context.upstream = upstream;
    context.requestedAt = requestedAt;
  }
  return group as readonly (Directed | undefined)[];
}

/** Returns a copy with another scope. */
export function withScope<E extends RequestContext>(context: E, scope: RequestScope): E {
  return { ...context, scope };
}

/**
 * Answers a request. Rejects with ChainError if the answer of the node is an error (a revert, an invalid parameter),
 * and with UpstreamFault if there is no usable answer.
 */
export type Handler<E extends RequestContext = RequestContext> = (context: E) => Promise<JsonResult>;

/** Answers a request with the whole pool; some answers are available synchronously. */
export type Send = (context: RequestContext) => PromiseOrValue<JsonResult>;
