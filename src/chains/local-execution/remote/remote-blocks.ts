import { headerFromRlp } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { decodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { ChainError, type ChainErrorKind } from '../../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../../chain/requests.ts';
import { completeWithin, TIMED_OUT } from '../../../util/complete-within.ts';
import { BLOCK_LIFE, Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { StateKeys } from '../proven/state-keys.ts';
import type { HeadPlace } from '../proven/state-nodes.ts';
import type { Collector } from './collector.ts';
import type { FetchedRules } from './fetched-rules.ts';
import type { ForkRules } from './fork-rules.ts';
import type { RemoteBlock } from './remote-block.ts';
import type { Place, RemoteStateSource } from './state-source.ts';

/** Reasons why nodes have to execute a call. `unsettled`: the call needs more state than its requests may fetch. */
export type LeaveReason = 'block' | 'fees' | 'rules' | 'unproven' | 'unsettled';

const MAX_BLOCKS = 512;
/** Number of `extraData` bytes for which a header counts as one more block in the cache limit. */
const EXTRA_DATA_BYTES = 8 * 1024;
export const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

const OWN_KINDS: ReadonlySet<ChainErrorKind> = new Set(['busy', 'timeout', 'aborted']);

/** Error of a call that cannot be executed locally, so that nodes have to answer it. */
export class LeftToNodes extends Error {
  readonly reason: LeaveReason;
  /** Name of the limit that is the reason; undefined if there is another reason. */
  readonly bound: 'call.provenKeys' | undefined;

  constructor(reason: LeaveReason, bound?: 'call.provenKeys') {
    super(reason);
    this.reason = reason;
    this.bound = bound;
  }
}

/**
 * Converts the error of an outage to `LeftToNodes`, because nodes may still be able to answer the call. The errors `busy`, `timeout` and `aborted` of
 * the gateway itself are not converted.
 */
export function leaveOutages<T>(source: RemoteStateSource, answer: PromiseOrValue<T>): PromiseOrValue<T> {
  if (!(answer instanceof Promise)) return answer;
  return answer.catch((error: unknown) => {
    const isOwn = error instanceof ChainError && OWN_KINDS.has(error.kind);
    throw source.isOutage(error) && !isOwn ? new LeftToNodes('unproven') : error;
  });
}

/**
 * Call before its first run, whose block may still be unknown. `hinted`: accesses of the call as reported by a node. `isHinted`: a node was requested
 * to report the accesses, even if it did not report them.
 */
export type FirstCall = { readonly request: CallRequest; readonly hinted: StateKeys; isHinted: boolean };

/** In-flight header request, and the scope of its first caller. */
type Fetching = { readonly block: Promise<RemoteBlock>; readonly client: RequestScope };

/** Finds the headers and fork rules of blocks at which calls run. Headers come from nodes and are verified by their hashes. */
export class RemoteBlocks {
  readonly #source: RemoteStateSource;
  readonly #collector: Collector;
  readonly #rules: ForkRules;
  readonly #blocks = new Lru<string, RemoteBlock>(
    MAX_BLOCKS,
    BLOCK_LIFE,
    undefined,
    ({ stored }) => 1 + Math.floor(stored.header.extraData.length / EXTRA_DATA_BYTES),
  );
  readonly #fetching = new Map<string, Fetching>();
  readonly #requested: FetchedRules;
  #roundTrips = 0;

  /** @param requested requests the fork rules from nodes */
  constructor(source: RemoteStateSource, collector: Collector, rules: ForkRules, requested: FetchedRules) {
    this.#source = source;
    this.#collector = collector;
    this.#rules = rules;
    this.#requested = requested;
  }

  /** Total number of round trips in which headers for calls were requested, for metrics; requests for new heads are not counted. */
  get roundTrips(): number {
    return this.#roundTrips;
  }

  /** Returns a cached block; undefined if the block is not cached. */
  get(hash: string): RemoteBlock | undefined {
    return this.#blocks.get(hash);
  }

  /** Finds the block of a call, and the head, whose gas limit determines the gas cap (spec 8). */
  findWithHead(
    place: Place,
    first: FirstCall,
    scope: RequestScope,
  ): PromiseOrValue<readonly [block: RemoteBlock, head: RemoteBlock]> {
    const head = continueWith(
      leaveOutages(this.#source, this.#source.locate(LATEST, scope)),
      (latest = place) => (latest.hash === place.hash ? undefined : this.find(latest, undefined, scope)),
    );
    const block = this.find(place, first, scope);
    if (head instanceof Promise || block instanceof Promise)
      return Promise.all([block, head]).then(([own, other]) => [own, other ?? own]);
    return [block, head ?? block];
  }

  /**
   * Returns a cached block, or requests its header.
   * @param first call at the block; if its contract is unknown, a node's report of the call's accesses is requested in the same round trip
   */
  find(place: Place, first: FirstCall | undefined, scope: RequestScope): PromiseOrValue<RemoteBlock> {
    const known = this.#blocks.get(place.hash);
    if (known !== undefined) return known;
    const fetching = this.#fetching.get(place.hash);
    if (fetching !== undefined) return this.#join(fetching, place, first, scope);
    const block = this.#fetch(place, first, scope).finally(() => this.#fetching.delete(place.hash));
    this.#fetching.set(place.hash, { block, client: scope });
    return block;
  }

  /**
   * Waits for another caller's request until this caller's deadline. If that request ended because of the other caller's deadline or disconnect,
   * sends the request again.
   */
  async #join(
    { block, client }: Fetching,
    place: Place,
    first: FirstCall | undefined,
    scope: RequestScope,
  ): Promise<RemoteBlock> {
    let found: RemoteBlock | typeof TIMED_OUT;
    try {
      found = await completeWithin(block, scope.deadline - performance.now());
    } catch (error) {
      const now = performance.now();
      const hasClientEnded = client.aborted || client.deadline <= now;
      if (hasClientEnded && !scope.aborted && now < scope.deadline) return this.find(place, first, scope);
      throw error;
    }
    if (found === TIMED_OUT)
      throw new ChainError('timeout', 'no node has returned the header of the block in time');
    return found;
  }

  async #fetch(place: Place, first: FirstCall | undefined, scope: RequestScope): Promise<RemoteBlock> {
    const collector = this.#collector;
    if (first !== undefined) this.#roundTrips++;
    const to = first?.request.call.to;
    const isUnknown =
      first !== undefined &&
      (to === undefined || this.#source.requests.proven.states.proven.latestOf(to) === undefined);
    if (isUnknown) first.isHinted = true;
    const hinting = isUnknown ? collector.requestHint(first.request, place, scope) : undefined;
    const telling = this.#requested.learn(0n, place, scope);
    const [encoded, hinted] = await leaveOutages(
      this.#source,
      Promise.all([collector.requestHeader(place, scope), hinting, telling]),
    );
    const header = headerFromRlp(decodeRlp(encoded));
    if (telling === undefined)
      await leaveOutages(this.#source, this.#requested.learn(header.timestamp, place, scope));
    const rules = this.#rules.find(header);
    if (rules === undefined) throw new LeftToNodes('rules');
    const hash = hexToBytes(place.hash);
    const block: RemoteBlock = {
      ...rules,
      stored: { header, hash, hashText: place.hash, totalDifficulty: 0n },
      at: toHeadPlace(place, header),
      blockHashes: new Map([[header.number - 1n, header.parentHash]]),
    };
    this.#blocks.set(place.hash, block);
    if (hinted !== undefined) first?.hinted.merge(collector.noteHint(hinted, block.at));
    return block;
  }
}

function toHeadPlace(
  place: Place,
  { stateRoot, parentHash, blockAccessListHash }: RemoteBlock['stored']['header'],
): HeadPlace {
  return {
    ...place,
    stateRoot: bytesToHex(stateRoot),
    isCanonical: true,
    parentHash: bytesToHex(parentHash),
    accessListHash: blockAccessListHash && bytesToHex(blockAccessListHash),
  };
}
