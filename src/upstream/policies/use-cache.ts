import type { Cache } from '../../cache/cache.ts';
import type { Policy } from '../routed-call.ts';

/**
 * Answers from memory what is known of a block. Only whole texts under a block's hash are kept: never an error,
 * never a null that nobody has checked, never anything under a tag.
 */
export function useCache(cache: Cache): Policy {
  return (next) => async (exchange) => {
    const { key } = exchange.call;
    if (key === undefined) return next(exchange);
    const found = cache.get(key);
    const kept = typeof found === 'object' ? await found : found;
    if (kept !== undefined) return kept;
    const result = await next(exchange);
    if (typeof result === 'string' && result !== 'null') cache.set(key, result);
    return result;
  };
}
