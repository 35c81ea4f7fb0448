import type { CacheFigures } from '../observe/sources.ts';
import type { Cache, CachedAnswer, CacheKey } from './cache.ts';
import { composeName } from './key-name.ts';

/** Combines two tiers: a look-up tries `near` first, then `far`, and copies hits of `far` into `near`. `close` closes both tiers. */
export function createTieredCache(near: Cache, far: Cache): Cache {
  return new TieredCache(near, far);
}

class TieredCache implements Cache {
  readonly #near: Cache;
  readonly #far: Cache;
  /** In-flight look-ups in the far tier by name, shared by concurrent callers. */
  readonly #lookups = new Map<string, Promise<CachedAnswer | undefined>>();

  constructor(near: Cache, far: Cache) {
    this.#near = near;
    this.#far = far;
  }

  get(key: CacheKey): CachedAnswer | undefined | Promise<CachedAnswer | undefined> {
    return this.#near.get(key) ?? this.#lookFar(key);
  }

  set(key: CacheKey, answer: CachedAnswer): void {
    this.#near.set(key, answer);
    this.#far.set(key, answer);
  }

  evictBlock(blockHash: string): void {
    this.#near.evictBlock(blockHash);
    this.#far.evictBlock(blockHash);
  }

  async evictChain(chainId: string | undefined): Promise<void> {
    // The far tier is emptied first, because its hits are copied into the near tier.
    await this.#far.evictChain(chainId);
    await this.#near.evictChain(chainId);
  }

  describe(): readonly CacheFigures[] {
    return [...this.#near.describe(), ...this.#far.describe()];
  }

  async close(): Promise<void> {
    await Promise.all([this.#near.close(), this.#far.close()]);
  }

  #lookFar(key: CacheKey): CachedAnswer | undefined | Promise<CachedAnswer | undefined> {
    const name = composeName(key);
    const running = this.#lookups.get(name);
    if (running !== undefined) return running;
    const answer = this.#far.get(key);
    if (!(answer instanceof Promise)) return this.#keepNear(key, answer);
    const lookup = answer
      .then((value) => this.#keepNear(key, value))
      .finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }

  #keepNear(key: CacheKey, answer: CachedAnswer | undefined): CachedAnswer | undefined {
    if (answer !== undefined) this.#near.set(key, answer);
    return answer;
  }
}
