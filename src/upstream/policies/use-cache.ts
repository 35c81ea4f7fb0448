import type { Cache } from '../../cache/cache.ts';
import type { Policy } from '../routed-call.ts';

/** Answers from memory what is known of a block. */
export function readCache(cache: Cache): Policy {
  return (next) => async (exchange) => {
    const { key } = exchange.call;
    if (key === undefined) return next(exchange);
    const found = cache.get(key);
    const kept = typeof found === 'object' ? await found : found;
    return kept ?? next(exchange);
  };
}

/**
 * Keeps what is learnt of a block, once for all who asked together. Only whole texts under a block's hash are kept:
 * never an error, never a null, never anything under a tag.
 */
export function fillCache(cache: Cache): Policy {
  return (next) => async (exchange) => {
    const { key } = exchange.call;
    const result = await next(exchange);
    if (key !== undefined && typeof result === 'string' && result !== 'null') cache.set(key, result);
    return result;
  };
}
