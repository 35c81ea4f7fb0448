import type { CacheKey } from './cache.ts';

/** The key as one string. No hash holds a space: different keys have different names. */
export function composeName(key: CacheKey): string {
  return `${key.blockHash} ${key.question}`;
}
