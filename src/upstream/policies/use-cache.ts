import type { Cache } from '../../cache/cache.ts';
import type { Policy } from '../routed-call.ts';

/** Answers from memory what is known of a block. */
export function readCache(cache: Cache): Policy {
  return (next) => (exchange) => {
    const { key } = exchange.call;
    const found = key === undefined ? undefined : cache.get(key);
    if (found === undefined) return next(exchange);
    return typeof found === 'string' ? Promise.resolve(found) : found.then((kept) => kept ?? next(exchange));
  };
}

/**
 * Keeps what is learnt of a block, once for all who asked together. Only whole texts under a block's hash are kept:
 * never an error, never a null, never anything under a tag.
 */
export function fillCache(cache: Cache): Policy {
  return (next) => (exchange) => {
    const { key } = exchange.call;
    if (key === undefined) return next(exchange);
    return next(exchange).then((result) => {
      if (typeof result === 'string' && result !== 'null') cache.set(key, result);
      return result;
    });
  };
}
