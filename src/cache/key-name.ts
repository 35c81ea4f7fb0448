import type { CacheKey } from './cache.ts';

/** Returns the key as one string. Block hashes contain no spaces, so different keys have different names. */
export function composeName(key: CacheKey): string {
  return `${key.blockHash} ${key.request}`;
}

/** Returns the chain id that a request begins with. */
export function readChainId({ request }: CacheKey): string {
  return request.slice(0, Math.max(0, request.search(/[:@]/)));
}
