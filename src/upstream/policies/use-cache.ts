import type { Cache } from '../../cache/cache.ts';
import { isComplete, type JsonResult } from '../../primitives/json-result.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { type Ask, fitResult, type Handler, type RoutedCall } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/** Answers from memory what is known of a block. Notes for the caller where that is not enough. */
export function readCache(cache: Cache): (next: Handler) => Ask {
  return (next) => {
    const ask: Handler = (exchange) => {
      exchange.scope.hasAskedNode = true;
      return next(exchange);
    };
    return (exchange) => {
      const { key } = exchange.call;
      const found = key === undefined ? undefined : cache.get(key);
      if (found === undefined) return ask(exchange);
      if (!(found instanceof Promise)) return fitResult(found, exchange.call);
      return found.then((kept) => (kept === undefined ? ask(exchange) : fitResult(kept, exchange.call)));
    };
  };
}

/**
 * Keeps what is learnt of a block, once for all callers that share an answer. Only whole results under a block's hash are kept:
 * never an error, never a null, never anything under a tag, and nothing of a node that may have had another block in
 * mind: the answer was checked against the block, or the node was asked by the block's hash, or the height is final.
 */
export function fillCache(keep: KeepAnswer): Policy {
  return createPolicy({
    onResult({ call, witness }, result) {
      keep(call, witness?.upstream, result);
      return result;
    },
  });
}

/** Keeps a node's answer, as far as that may be. */
export type KeepAnswer = (call: RoutedCall, upstream: Upstream | undefined, result: JsonResult) => void;

/** See `fillCache`. */
export function createKeeper(cache: Cache, isFinal: (height: bigint) => boolean): KeepAnswer {
  return (call, upstream, result) => {
    if (call.key === undefined || !isComplete(result) || result === 'null') return;
    if (call.isKept?.() === false) return;
    // It has been proven to lie since it was asked, and what was kept of its answers has been dropped.
    if (upstream?.evidence !== undefined) return;
    const wasTold = upstream?.knowsHashParameters === true && call.paramsByHash !== undefined;
    const isSure =
      call.isBound === true || wasTold || (call.block !== undefined && isFinal(call.block.number));
    if (isSure) cache.set(call.key, result);
  };
}
