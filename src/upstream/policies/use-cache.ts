import type { Cache } from '../../cache/cache.ts';
import type { Handler, Policy, Witness } from '../routed-call.ts';

/** Answers from memory what is known of a block. Notes for the caller where that is not enough. */
export function readCache(cache: Cache): Policy {
  return (next) => {
    const ask: Handler = (exchange) => {
      exchange.scope.hasAskedNode = true;
      return next(exchange);
    };
    return (exchange) => {
      const { key } = exchange.call;
      const found = key === undefined ? undefined : cache.get(key);
      if (found === undefined) return ask(exchange);
      return typeof found === 'string' ? Promise.resolve(found) : found.then((kept) => kept ?? ask(exchange));
    };
  };
}

/**
 * Keeps what is learnt of a block, once for all who asked together. Only whole texts under a block's hash are kept:
 * never an error, never a null, never anything under a tag, and nothing of a node that may have had another block in
 * mind: the answer was checked against the block, or the node was told the block's hash, or the height is final.
 */
export function fillCache(cache: Cache, isFinal: (height: bigint) => boolean): Policy {
  return (next) => (exchange) => {
    const { call } = exchange;
    const { key } = call;
    if (key === undefined) return next(exchange);
    const witness: Witness = {};
    return next({ ...exchange, witness }).then((result) => {
      const wasTold = call.paramsByHash !== undefined && witness.upstream?.knowsHashParameters === true;
      const isSure =
        call.isBound === true || wasTold || (call.block !== undefined && isFinal(call.block.number));
      if (isSure && typeof result === 'string' && result !== 'null') cache.set(key, result);
      return result;
    });
  };
}
