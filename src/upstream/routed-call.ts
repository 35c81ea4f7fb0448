import type { CacheKey } from '../cache/cache.ts';
import { JsonBytes, type JsonResult, type JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
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
/** What one node has, it can prove: all of them are asked. */
export const ABSENCE_REQUIRED: Absence = { byHash: 'search', byHeight: 'fault', known: 'fault' };

/** One question to the pool, whichever of its nodes answers it. */
export type RoutedCall = {
  readonly method: string;
  /** JSON text of the positional parameters. */
  readonly params: JsonText;
  /** The same with the block named by hash (EIP-1898), for nodes that are known to understand it. */
  readonly paramsByHash?: JsonText;
  /** The first parameter alone, where all others are what a node takes by itself: for nodes that refuse more (l2geth's `eth_estimateGas`). */
  readonly paramsAlone?: JsonText | undefined;
  /** A node may refuse the method alone, in any way: that says nothing of the node. */
  readonly mayBeRefused?: boolean;
  /** A client asks for a method that the service does not know: a node that lacks it may answer anything, and an error is the answer as the node gave it. */
  readonly isPassed?: boolean;
  /** The caller does without an answer where the nodes have none at once: they are not asked again. */
  readonly isOptional?: boolean | undefined;
  /** It may change something: a node that may have it is not sent it again. */
  readonly isOnce?: boolean;
  /** What a node that lacks the method is asked instead, in batches; the answer is the array of the results. */
  readonly batch?: (() => readonly NodeCall[]) | undefined;
  /** The answer is needed as a whole: a stream is collected before it is checked, kept and shared. */
  readonly isText?: boolean;
  /** The answer is handed on as it is: a large one may be bytes. Text otherwise, unless it is a stream. */
  readonly takesBytes?: boolean;
  /** An answer of more than `LONG_BYTES` may be bytes: they are not made a text, which takes long in one piece. */
  readonly takesLongBytes?: boolean;
  /**
   * A stream is collected as far as that is cheap, so that most of what can be wrong with it is found while another node
   * can still be asked, or an error given.
   */
  readonly isHeld?: boolean;
  /** Only what `check` learns from the answer is of use where it is a stream: one is read to its end before it counts as right, and is empty then. */
  readonly isDrained?: boolean;
  /** `check` reads a stream as thoroughly as a whole: a long answer is checked piece by piece while it comes, before it is held. */
  readonly checksStream?: boolean;
  /** Whether `check` makes sure that the answer belongs to the block of `key`. */
  readonly isBound?: boolean;
  /** Only upstreams with a vote in the head are asked: it is about where the chain is. */
  readonly needsVote?: boolean;
  /** Only upstreams that have this block are asked. */
  readonly block?: BlockPosition;
  /** Number of blocks that logs are asked of. */
  readonly logBlocks?: number;
  /** `pending` is whatever one node has in mind: the same node is asked every time as long as it is well. */
  readonly isSticky?: boolean;
  /** The transaction that it is about: nodes that have it from the caller are asked first. */
  readonly transactionHash?: string;
  /** Under what the answer is shared and kept; absent where it may differ from one moment to the next. */
  readonly key?: CacheKey | undefined;
  /** Key under which the answer is shared among concurrent callers, where it is not kept. */
  readonly sharedAs?: string;
  readonly nulls: NullMeaning;
  /** What a null is taken for, before it is compared: some nodes write it for an empty list. */
  readonly nullAs?: JsonText | undefined;
  /**
   * Compares a result with what is known of it and hands it on; a stream is checked while it is read.
   * @param upstream the one that gave it
   * @throws UpstreamFault `wrong` or `malformed`
   */
  readonly check?: (result: JsonResult, upstream?: Upstream) => JsonResult;
  /** Whether a result may be kept; what could not be verified is not kept as if it were. */
  readonly isKept?: () => boolean;
};

/** A result that is shared, in the form that a call takes. */
export function fitResult<R extends JsonResult>(result: R, call: RoutedCall): R | JsonText {
  return result instanceof JsonBytes && !staysBytes(result.length, call) ? result.text : result;
}

/** Whether a result of so many bytes is handed on as bytes. */
export function staysBytes(
  length: number,
  { takesBytes, takesLongBytes }: Pick<RoutedCall, 'takesBytes' | 'takesLongBytes'>,
): boolean {
  return takesBytes === true || (takesLongBytes === true && length > LONG_BYTES);
}

/** The upstream that gave the answer. */
export type Witness = { upstream?: Upstream | undefined };

/**
 * A call on its way through the policies; each of them sees what those before it have decided. There is one record a
 * question: it is completed on the way, and copied only where several upstreams are asked at the same time or with another scope.
 */
export type Exchange = {
  readonly call: RoutedCall;
  readonly scope: RequestScope;
  /** Upstreams that must not be asked (again). */
  readonly except?: ReadonlySet<Upstream> | undefined;
  /** Upstreams that are asked before others. */
  readonly prefer?: ReadonlySet<Upstream> | undefined;
  /** Where the upstream that answered is noted, for callers that want to ask another one next. */
  readonly witness?: Witness | undefined;
  /** Where upstreams are noted that do not have what is asked for. */
  readonly lacking?: Set<Upstream> | undefined;
};

/** An exchange for which it is decided which upstreams may be asked: best first. */
export type Routed = Exchange & { readonly route: Route };

/** An exchange for which it is decided which upstream is asked. */
export type Directed = Routed & {
  readonly upstream: Upstream;
  /** When that was decided, on the clock of `performance.now()`. */
  readonly askedAt: number;
};

/** Where what is decided of an exchange is written; behind each function below its type says so. */
type ExchangeRecord = Exchange & {
  route: Route | undefined;
  upstream: Upstream | undefined;
  askedAt: number;
};

/** A record of its own for what is asked of nodes, with room for all decisions. */
export function openExchange(exchange: Exchange, scope: RequestScope): Exchange {
  const record: ExchangeRecord = {
    call: exchange.call,
    scope,
    except: exchange.except,
    prefer: exchange.prefer,
    witness: exchange.witness ?? { upstream: undefined },
    lacking: exchange.lacking,
    route: undefined,
    upstream: undefined,
    askedAt: 0,
  };
  return record;
}

/** The exchange, to which its route is added. */
export function setRoute(exchange: Exchange, route: Route): Routed {
  const record = exchange as ExchangeRecord;
  record.route = route;
  return record as Routed;
}

/** The exchange, to which is added which upstream is asked from now on. */
export function setUpstream(exchange: Routed, upstream: Upstream): Directed {
  const record = exchange as ExchangeRecord;
  record.upstream = upstream;
  record.askedAt = performance.now();
  return record as Directed;
}

/** A copy in which another scope holds. */
export function withScope<E extends Exchange>(exchange: E, scope: RequestScope): E {
  return { ...exchange, scope };
}

/**
 * Answers an exchange. Rejects with ChainError where the node's answer is an error (a revert, an invalid parameter),
 * and with UpstreamFault where there is no answer that can be used.
 */
export type Handler<E extends Exchange = Exchange> = (exchange: E) => Promise<JsonResult>;

/** The same for the pool as a whole, which knows some answers at once. */
export type Ask = (exchange: Exchange) => PromiseOrValue<JsonResult>;
