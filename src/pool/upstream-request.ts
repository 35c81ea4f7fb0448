import { JsonBytes, type JsonResult, type JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { CacheKey } from '../cache/cache.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { NodeCall } from './node-call.ts';
import type { Route } from './route.ts';
import type { Upstream } from './upstream.ts';

/** Size above which a result counts as long, bytes. Decoding this many bytes to a string takes 4 ms if they are ASCII, otherwise 7 ms. */
export const LONG_BYTES: number = 4 * 1024 * 1024;

/** A resolved block of a request; `hash` is undefined if only the height is known. */
export type BlockPosition = { readonly number: bigint; readonly hash: string | undefined };

/**
 * Condition under which a null result of a node is accepted as the answer. `truth`: always. `claim`: if a second upstream reports null too, or if
 * there is no second upstream. `doubt`: only if a second upstream reports null too. `search`: only if every available upstream reports null.
 * `certain`: only if every upstream reports null; if an upstream is unavailable, the request fails. `fault`: never, because the item is known to
 * exist.
 */
export type NullMeaning = 'truth' | 'claim' | 'doubt' | 'search' | 'certain' | 'fault';

/** Conditions for nulls on a network, because no header commits to the absence of an item. */
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
/**
 * Conditions for nulls on networks whose answers must be verified. Any node that has an item can send it in verifiable form, so every node is tried
 * before a null is accepted.
 */
export const ABSENCE_REQUIRED: Absence = { byHash: 'search', byHeight: 'fault', known: 'fault' };

/** One request to the pool, independent of the node that answers the request. */
export type UpstreamRequest = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** Parameters that name the block by hash (EIP-1898), for nodes that are known to support such parameters. */
  readonly paramsByHash?: JsonText;
  /**
   * Only the first parameter, for nodes that refuse more than one (l2geth's `eth_estimateGas`). Set only if the omitted parameters have their default
   * values.
   */
  readonly paramsAlone?: JsonText | undefined;
  /** Whether a node may refuse this method in any way. HTTP 401 or 403 then means only that the node does not offer the method. */
  readonly mayBeRefused?: boolean;
  /**
   * Whether the method is passed through because the service does not implement it. If the method is passed through, an error of a node is returned
   * unmodified, and a node that lacks the method may return anything.
   */
  readonly isPassed?: boolean;
  /** Whether the caller can continue without an answer. An optional request is not retried after all nodes have failed. */
  readonly isOptional?: boolean | undefined;
  /** Whether the call may change state, so that it is not sent again to a node that may already have received it. */
  readonly isOnce?: boolean;
  /**
   * Returns requests that replace this one at a node that lacks the method. The replacement requests are sent in batches, and the array of their
   * results is the answer.
   */
  readonly batch?: (() => readonly NodeCall[]) | undefined;
  /** Whether the answer must be complete: a stream is collected before the answer is checked, cached and shared. */
  readonly isText?: boolean;
  /** Whether a complete answer may be bytes instead of text, because it is passed on without changes. */
  readonly takesBytes?: boolean;
  /** Whether an answer of more than `LONG_BYTES` may be bytes. Decoding so many bytes to a string would block the event loop for long. */
  readonly takesLongBytes?: boolean;
  /**
   * Whether a stream is buffered up to a bound before it is passed on. Most errors inside of a buffered stream are found while another node can still
   * be tried, or an error can still be returned.
   */
  readonly isBuffered?: boolean;
  /**
   * Whether the caller needs only the effect of `check`, and not the result. If so, a streamed result is read to its end, and an empty stream is
   * returned.
   */
  readonly isDrained?: boolean;
  /**
   * Whether `check` verifies a stream as thoroughly as a complete answer. If `checksStream` is true, a long answer is checked piece by piece while it
   * arrives.
   */
  readonly checksStream?: boolean;
  /** Whether `check` ensures that the answer belongs to the block of `key`. */
  readonly isBound?: boolean;
  /** Whether only upstreams with a vote on the head are used, because the answer depends on the newest block. */
  readonly needsVote?: boolean;
  /** Block that the request is about; only upstreams that may have this block are used. */
  readonly block?: BlockPosition;
  /** Number of blocks in a request for logs. */
  readonly logBlocks?: number;
  /** Whether the same node is used each time, as long as it is healthy. Each node has a different `pending` block. */
  readonly isSticky?: boolean;
  /** Hash of the transaction in the request. Nodes to which the caller sent this transaction are tried first. */
  readonly transactionHash?: string;
  /** Key under which the answer is shared and cached; undefined if the answer may change at any moment. */
  readonly key?: CacheKey | undefined;
  /** Key under which concurrent callers share an answer that the cache does not store. */
  readonly sharedAs?: string;
  readonly nulls: NullMeaning;
  /** Value that replaces a null before `check`, because some nodes return null for an empty list. */
  readonly nullAs?: JsonText | undefined;
  /**
   * Checks a result against known data and returns it. A stream is checked while it is read.
   * @param upstream sender of the result
   * @throws UpstreamFault `wrong` or `malformed`
   */
  readonly check?: (result: JsonResult, upstream?: Upstream) => JsonResult;
  /** Returns whether the result may be cached. A result that could not be verified must not be cached as if it were verified. */
  readonly isKept?: () => boolean;
};

/** Converts a shared result to the form that a call accepts. */
export function fitResult<R extends JsonResult>(result: R, call: UpstreamRequest): R | JsonText {
  return result instanceof JsonBytes && !staysBytes(result.length, call) ? result.text : result;
}

/** Whether a result of `length` bytes is passed on as bytes, and not decoded to text. */
export function staysBytes(
  length: number,
  { takesBytes, takesLongBytes }: Pick<UpstreamRequest, 'takesBytes' | 'takesLongBytes'>,
): boolean {
  return takesBytes === true || (takesLongBytes === true && length > LONG_BYTES);
}

/** The upstream that sent the answer. */
export type AnsweredBy = { upstream?: Upstream | undefined };

/**
 * Context of a request in the policies. Each policy sees the decisions of the outer policies. Each request has one mutable record, which the policies
 * fill one after the other. The record is copied only if several upstreams are used at the same time, or if a different scope is needed.
 */
export type RequestContext = {
  readonly call: UpstreamRequest;
  readonly scope: RequestScope;
  /** Upstreams that must not be used. */
  readonly except?: ReadonlySet<Upstream> | undefined;
  /** Upstreams that are tried before other upstreams. */
  readonly prefer?: ReadonlySet<Upstream> | undefined;
  /** Gets the upstream that answered, for callers that need a different one for their next request. */
  readonly witness?: AnsweredBy | undefined;
  /** Gets the upstreams that do not have the requested item. */
  readonly lacking?: Set<Upstream> | undefined;
};

/** A request context whose upstreams are chosen (`route`). */
export type RoutedRequest = RequestContext & { readonly route: Route };

/** A request context whose current upstream is chosen. */
export type Directed = RoutedRequest & {
  readonly upstream: Upstream;
  /** Time at which the upstream was chosen, on the clock of `performance.now()`. */
  readonly requestedAt: number;
};

/** Mutable record behind the request contexts. The return types of the functions below show which members are set after each call. */
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

/** Answers a request with the whole pool; cached answers may be returned synchronously. */
export type Send = (context: RequestContext) => PromiseOrValue<JsonResult>;
