import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Cache } from '../../cache/cache.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Upstream } from '../upstream.ts';
import { fitResult, type Handler, type Send, type UpstreamRequest } from '../upstream-request.ts';

/** Returns the answer to a request from the cache, if it has the answer. On a miss, sets `hasCalledNode` of the scope and calls the next handler. */
export function readCache(cache: Cache): (next: Handler) => Send {
  return (next) => {
    const ask: Handler = (context) => {
      context.scope.hasCalledNode = true;
      return next(context);
    };
    return (context) => {
      const { key } = context.call;
      const found = key === undefined ? undefined : cache.get(key);
      if (found === undefined) return ask(context);
      if (!(found instanceof Promise)) return fitResult(found, context.call);
      return found.then((cached) => (cached === undefined ? ask(context) : fitResult(cached, context.call)));
    };
  };
}

/**
 * Stores cacheable answers, once for all callers that share an answer. Only complete results under a block hash are stored, never an error, a null,
 * or an answer for a tag. An answer that may belong to another block is not stored. There are three proofs that an answer belongs to its block: it
 * was compared with the block, the request named the block by hash, or the height of the block is final.
 */
export function fillCache(keep: KeepAnswer): Policy {
  return createPolicy({
    onResult({ call, witness }, result) {
      keep(call, witness?.upstream, result);
      return result;
    },
  });
}

/** Caches the answer of a node if the rules of `fillCache` allow it. */
export type KeepAnswer = (call: UpstreamRequest, upstream: Upstream | undefined, result: JsonResult) => void;

/**
 * Creates the function that decides for `fillCache` which answers are cached, and caches them.
 * @param isFinal whether a block height is final
 */
export function createKeeper(cache: Cache, isFinal: (height: bigint) => boolean): KeepAnswer {
  return (call, upstream, result) => {
    if (call.key === undefined || !isComplete(result) || result === 'null') return;
    if (call.isKept?.() === false) return;
    // The node was quarantined before its answer arrived. All cached answers of a quarantined node are dropped, so this answer must not be cached
    // either.
    if (upstream?.record.evidence !== undefined) return;
    const wasReported = upstream?.knowsHashParameters === true && call.paramsByHash !== undefined;
    const isSure =
      call.isBound === true || wasReported || (call.block !== undefined && isFinal(call.block.number));
    if (isSure) cache.set(call.key, result);
  };
}
