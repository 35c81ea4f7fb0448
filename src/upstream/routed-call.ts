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
  /** Who may be asked, best first: set by `order`. */
  readonly route?: Route;
  /** Who is asked: set by `hedge`. */
  readonly upstream?: Upstream;
  /** Who must not be asked (again). */
  readonly except?: ReadonlySet<Upstream>;
  /** Where it is noted who answered, for callers that want to ask somebody else next. */
  readonly witness?: Witness;
};

/**
 * Answers an exchange. Rejects with ChainError where the node's answer is an error (a revert, an invalid parameter),
 * and with UpstreamFault where there is no answer that can be used.
 */
export type Handler = (exchange: Exchange) => Promise<JsonResult>;

/** Something that happens around the asking. */
export type Policy = (next: Handler) => Handler;

/** The first policy of the list is the outermost. */
export function composePolicies(policies: readonly Policy[], innermost: Handler): Handler {
  return policies.reduceRight((next, policy) => policy(next), innermost);
}
