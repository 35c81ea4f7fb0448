import type { CacheKey } from '../../src/cache/cache.ts';

/** Returns a block hash that is unique to the block number. */
export function makeBlockHash(block: number): string {
  return `0x${block.toString(16).padStart(64, '0')}`;
}

export function makeKey(block: number, request: string): CacheKey {
  return { blockHash: makeBlockHash(block), request };
}
