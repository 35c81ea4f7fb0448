import { JsonBytes, type JsonResult, type JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { CacheKey } from '../cache/cache.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { NodeCall } from './node-call.ts';
import type { Route } from './route.ts';
import type { Upstream } from './upstream.ts';

/** A text of this many bytes is joined in 4 ms, or 7 ms if it is not ASCII. */
export const LONG_BYTES: number = 4 * 1024 * 1024;

/** A block that has been resolved; `hash` is undefined if only its height is known. */
export type BlockPosition = { readonly number: bigint; readonly hash: string | undefined };

/**
 * Meaning of a `null`. `truth`: it is accepted. `claim`: accepted if a second upstream reports the same or there is no
 * second. `doubt`: accepted only if a second one reports the same. `search`: accepted only if every available one reports the
 * same. `certain`: accepted only if every one reports the same, and an outage while one is unavailable. `fault`: never accepted, because the item is
 * known to exist.
 */
export type NullMeaning = 'truth' | 'claim' | 'doubt' | 'search' | 'certain' | 'fault';

/** Meanings of nulls. No root proves that something is absent. */
export type Absence = {
  /** For an item by a hash that is unknown. */
  readonly byHash: NullMeaning;
  /** For a block by its height, at or below the head. */
  readonly byHeight: NullMeaning;
  /** For a block of the served chain, by its known height and hash. */
  readonly known: NullMeaning;
};

export const ABSENCE_UNVERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'doubt' };
export const ABSENCE_VERIFIED: Absence = { byHash: 'claim', byHeight: 'doubt', known: 'fault' };
/** A node can prove any item that it has, so all nodes are tried. */
export const ABSENCE_REQUIRED: Absence = { byHash: 'search', byHeight: 'fault', known: 'fault' };

/** One request to the pool, independent of the node that answers it. */
export type UpstreamRequest = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** Parameters with the block named by hash (EIP-1898), for nodes that are known to support it. */
  readonly paramsByHash?: JsonText;
  /** The first parameter alone, if all others equal the node's defaults: for nodes that refuse more (l2geth's `eth_estimateGas`). */
  readonly paramsAlone?: JsonText | undefined;
  /** A node may refuse this method in any way; the refusal carries no information about the node. */
  readonly mayBeRefused?: boolean;
  /** A client sent a method that the service does not know: a node that lacks it may return anything, and a node's error is the answer, unmodified. */
  readonly isPassed?: boolean;
  /** The caller can do without an answer: nodes are not tried again after all of them failed. */
  readonly isOptional?: boolean | undefined;
  /** The call may change something: it is not sent again to a node that may have it. */
  readonly isOnce?: boolean;
  /** Requests for a node that lacks the method, in batches; the answer is the array of the results. */
  readonly batch?: (() => readonly NodeCall[]) | undefined;
  /** The answer is needed as one text: a stream is collected before it is checked, cached and shared. */
  readonly isText?: boolean;
  /** The answer is passed on as it is: a large one may be bytes. Otherwise it is text, unless it is a stream. */
  readonly takesBytes?: boolean;
  /** An answer of more than `LONG_BYTES` may be bytes: it is not joined to a text, which would block for long. */
  readonly takesLongBytes?: boolean;
  /**
   * A stream is buffered as far as that is cheap, so that most errors in it are found while another node
   * can still be tried, or an error returned.
   */
  readonly isBuffered?: boolean;
  /** For a stream, only the result of `check` is used: it is read to its end before it counts as correct, and is then empty. */
  readonly isDrained?: boolean;
  /** `check` verifies a stream as thoroughly as a complete answer: a long answer is checked piece by piece as it arrives, before it is buffered. */
  readonly checksStream?: boolean;
  /** Whether `check` makes sure that the answer belongs to the block of `key`. */
  readonly isBound?: boolean;
  /** Only upstreams with a vote on the head are used: the request is about the position of the chain. */
  readonly needsVote?: boolean;
  /** Only upstreams that have this block are used. */
  readonly block?: BlockPosition;
  /** Number of blocks in a request for logs. */
  readonly logBlocks?: number;
  /** `pending` is a view of one node: the same node is used every time as long as it is healthy. */
  readonly isSticky?: boolean;
  /** The transaction that the request is about: nodes that received it from the caller are tried first. */
  readonly transactionHash?: string;
  /** Key under which the answer is shared and cached; absent if it may differ from one moment to the next. */
  readonly key?: CacheKey | undefined;
  /** Key under which the answer is shared among concurrent callers, if it is not cached. */
  readonly sharedAs?: string;
  readonly nulls: NullMeaning;
  /** Replacement of a null before it is compared: some nodes return null for an empty list. */
  readonly nullAs?: JsonText | undefined;
  /**
   * Compares a result with known data and passes it on; a stream is checked while it is read.
   * @param upstream the sender of the result
   * @throws UpstreamFault `wrong` or `malformed`
   */
  readonly check?: (result: JsonResult, upstream?: Upstream) => JsonResult;
  /** Whether a result may be cached; an unverifiable one is not cached as if it were verified. */
  readonly isKept?: () => boolean;
};

/** Converts a shared result to the form that a call takes. */
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
 * Context of a request in the policies; each policy sees the decisions of those before it. There is one record per
 * request, which is completed on the way and copied only if several upstreams are used at the same time or with another scope.
 */
export type RequestContext = {
  readonly call: UpstreamRequest;
  readonly scope: RequestScope;
  /** Upstreams that must not be used (again). */
  readonly except?: ReadonlySet<Upstream> | undefined;
  /** Upstreams that are tried before others. */
  readonly prefer?: ReadonlySet<Upstream> | undefined;
  /** Records the upstream that answered, for callers that want another one next. */
  readonly witness?: AnsweredBy | undefined;
  /** Records the upstreams that do not have the requested item. */
  readonly lacking?: Set<Upstream> | undefined;
};

/** A request context with its upstreams, best first. */
export type RoutedRequest = RequestContext & { readonly route: Route };

/** A request context with its current upstream. */
export type Directed = RoutedRequest & {
  readonly upstream: Upstream;
  /** Time of that decision, on the clock of `performance.now()`. */
  readonly requestedAt: number;
};

/** Mutable record behind the request context; the types returned by the functions below show which decisions are set. */
type ContextRecord = RequestContext & {
  route: Route | undefined;
  upstream: Upstream | undefined;
  requestedAt: number;
};

/** Creates the mutable record of a request to nodes, with room for all decisions. */
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

/** Returns a copy with another scope. */
export function withScope<E extends RequestContext>(context: E, scope: RequestScope): E {
  return { ...context, scope };
}

/**
 * Answers a request. Rejects with ChainError if the node's answer is an error (a revert, an invalid parameter),
 * and with UpstreamFault if there is no usable answer.
 */
export type Handler<E extends RequestContext = RequestContext> = (context: E) => Promise<JsonResult>;

/** Answers a request with the whole pool, which has some answers synchronously. */
export type Send = (context: RequestContext) => PromiseOrValue<JsonResult>;
