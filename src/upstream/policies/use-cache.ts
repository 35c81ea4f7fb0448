import type { Cache } from '../../cache/cache.ts';
import { isComplete } from '../../primitives/json-result.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { type Ask, fitResult, type Handler } from '../routed-call.ts';

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
export function fillCache(cache: Cache, isFinal: (height: bigint) => boolean): Policy {
  return createPolicy({
    onResult({ call, witness }, result) {
      if (call.key === undefined || !isComplete(result) || result === 'null') return result;
      if (call.isKept?.() === false) return result;
      // The node was condemned while it answered: its kept answers were dropped, and this one must not be kept.
      if (witness?.upstream?.evidence !== undefined) return result;
      const wasTold = witness?.upstream?.knowsHashParameters === true && call.paramsByHash !== undefined;
      const isSure =
        call.isBound === true || wasTold || (call.block !== undefined && isFinal(call.block.number));
      if (isSure) cache.set(call.key, result);
      return result;
    },
  });
}
