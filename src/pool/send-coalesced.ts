import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Cache, CachedAnswer } from '../cache/cache.ts';
import type { CallOutcome } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { UpstreamFault } from './fault.ts';
import type { GroupHandler, RequestGroup } from './group.ts';
import type { Upstream } from './upstream.ts';
import { fitResult, openContext, type UpstreamRequest } from './upstream-request.ts';

/** Outcome of a call and the node that answered it; `node` is undefined for a cached answer. */
export type SharedOutcome = CallOutcome & { readonly node: Upstream | undefined };

/**
 * Answers several calls at one block. Cached answers are used if possible; the other calls are sent as one group, through the policies of the pool.
 * If a call leaves the group, its outcome is undefined, and the caller must send this call alone. Throws and rejects only on internal errors of this
 * program.
 */
export type SendCoalesced = (
  calls: readonly (UpstreamRequest | undefined)[],
  scope: RequestScope,
) => PromiseOrValue<readonly (SharedOutcome | undefined)[]>;

/** @param sendGroup answers the calls that are not cached */
export function createSendCoalesced(cache: Cache, sendGroup: GroupHandler): SendCoalesced {
  return (calls, scope) => {
    const hash = calls.find((call) => call !== undefined)?.block?.hash;
    const atBlock = calls.map((call) =>
      hash !== undefined && call?.block?.hash === hash ? call : undefined,
    );
    const lookups = atBlock.map((call) => call?.key && cache.get(call.key));
    const found = lookups.some((lookup) => lookup instanceof Promise)
      ? Promise.all(lookups)
      : (lookups as (CachedAnswer | undefined)[]);
    return continueWith(found, (cached) => {
      const outcomes = cached.map((answer, position) =>
        answer === undefined ? undefined : fromCache(answer, atBlock[position] as UpstreamRequest),
      );
      const group = atBlock.map((call, position) =>
        call === undefined || outcomes[position] !== undefined
          ? undefined
          : openContext({ call, scope }, scope),
      );
      return answerGroup(group, outcomes, sendGroup);
    });
  };
}

function fromCache(answer: CachedAnswer, call: UpstreamRequest): SharedOutcome {
  return { answer: fitResult(answer, call), isRequested: false, node: undefined };
}

/** Sends a group, and writes its outcomes into `outcomes`. */
function answerGroup(
  group: RequestGroup,
  outcomes: (SharedOutcome | undefined)[],
  sendGroup: GroupHandler,
): PromiseOrValue<readonly (SharedOutcome | undefined)[]> {
  let left = group.filter((context) => context !== undefined).length;
  if (left === 0) return outcomes;
  return new Promise((resolve, reject) => {
    sendGroup(group, (position, outcome) => {
      if (outcome instanceof ChainError || !(outcome instanceof Error)) {
        const node = group[position]?.witness?.upstream;
        outcomes[position] = { answer: outcome, isRequested: true, node };
      } else if (!(outcome instanceof UpstreamFault)) reject(outcome);
      if (--left === 0) resolve(outcomes);
    });
  });
}
