import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CacheKey } from '../../src/cache/cache.ts';
import { createMemoryCache, ENTRY_OVERHEAD_BYTES, type MemoryCache } from '../../src/cache/memory-cache.ts';
import { makeBlockHash, makeKey } from './keys.ts';

const BYTES = 8_000;
const ENTRY_BYTES = 2_000;

type Model = {
  /** Oldest use first. */
  entries: { readonly key: CacheKey; readonly answer: string; readonly bytes: number }[];
  hits: number;
  misses: number;
  evictions: number;
};

function isSame(a: CacheKey, b: CacheKey): boolean {
  return a.blockHash === b.blockHash && a.question === b.question;
}

function countBytes(text: string): number {
  return /^[\0-\x7f]*$/.test(text) ? text.length : 2 * text.length;
}

function sumBytes(model: Model): number {
  return model.entries.reduce((sum, entry) => sum + entry.bytes, 0);
}

class Get implements fc.Command<Model, MemoryCache> {
  readonly #key: CacheKey;

  constructor(key: CacheKey) {
    this.#key = key;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, cache: MemoryCache): void {
    const found = model.entries.find(({ key }) => isSame(key, this.#key));
    assert.equal(cache.get(this.#key), found?.answer);
    if (found === undefined) model.misses++;
    else {
      model.hits++;
      model.entries = [...model.entries.filter((entry) => entry !== found), found];
    }
    compare(model, cache);
  }

  toString(): string {
    return `get ${JSON.stringify(this.#key)}`;
  }
}

class Put implements fc.Command<Model, MemoryCache> {
  readonly #key: CacheKey;
  readonly #answer: string;

  constructor(key: CacheKey, answer: string) {
    this.#key = key;
    this.#answer = answer;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, cache: MemoryCache): void {
    cache.set(this.#key, this.#answer);
    model.entries = model.entries.filter(({ key }) => !isSame(key, this.#key));
    const name = `${this.#key.blockHash} ${this.#key.question}`;
    const bytes = countBytes(name) + countBytes(this.#answer) + ENTRY_OVERHEAD_BYTES;
    if (bytes <= ENTRY_BYTES) {
      while (sumBytes(model) + bytes > BYTES) {
        model.entries.shift();
        model.evictions++;
      }
      model.entries.push({ key: this.#key, answer: this.#answer, bytes });
    }
    compare(model, cache);
  }

  toString(): string {
    return `set ${JSON.stringify(this.#key)} ${this.#answer.length}`;
  }
}

class EvictBlock implements fc.Command<Model, MemoryCache> {
  readonly #blockHash: string;

  constructor(blockHash: string) {
    this.#blockHash = blockHash;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, cache: MemoryCache): void {
    cache.evictBlock(this.#blockHash);
    model.entries = model.entries.filter(({ key }) => key.blockHash !== this.#blockHash);
    compare(model, cache);
  }

  toString(): string {
    return `evict ${this.#blockHash}`;
  }
}

function compare(model: Model, cache: MemoryCache): void {
  const { entries, bytes, hits, misses, evictions } = cache;
  assert.ok(bytes <= BYTES);
  assert.deepEqual(
    { entries, bytes, hits, misses, evictions },
    {
      entries: model.entries.length,
      bytes: sumBytes(model),
      hits: model.hits,
      misses: model.misses,
      evictions: model.evictions,
    },
  );
}

test('does what a simple model does, whatever is asked of it', () => {
  const blockHash = fc.integer({ min: 0, max: 3 }).map(makeBlockHash);
  const question = fc.constantFrom('', 'a', 'b', 'c', 'é', ' ');
  const key = fc.record({ blockHash, question });
  const answer = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.tuple(fc.constantFrom('x', 'é', '語'), fc.nat(1_500)).map(([unit, count]) => unit.repeat(count)),
  );
  const commands = [
    key.map((value) => new Get(value)),
    fc.tuple(key, answer).map(([where, what]) => new Put(where, what)),
    blockHash.map((value) => new EvictBlock(value)),
  ];
  fc.assert(
    fc.property(fc.commands(commands, { size: '+2' }), (run) => {
      const model: Model = { entries: [], hits: 0, misses: 0, evictions: 0 };
      const cache = createMemoryCache({ bytes: BYTES, entryBytes: ENTRY_BYTES });
      fc.modelRun(() => ({ model, real: cache }), run);
      for (const { key: held, answer: kept } of model.entries) assert.equal(cache.get(held), kept);
    }),
    { numRuns: 300 },
  );
});

test('the hash and the question of a key do not run into each other', () => {
  const cache = createMemoryCache({ bytes: 1e6, entryBytes: 1e6 });
  cache.set({ blockHash: '0xa', question: 'b c' }, '1');
  cache.set({ blockHash: '0xa', question: 'bc' }, '2');
  cache.set({ blockHash: '0xab', question: 'c' }, '3');
  assert.equal(cache.get({ blockHash: '0xa', question: 'b c' }), '1');
  assert.equal(cache.get({ blockHash: '0xa', question: 'bc' }), '2');
  assert.equal(cache.get({ blockHash: '0xab', question: 'c' }), '3');
});

test('without memory nothing is kept', () => {
  const cache = createMemoryCache({ bytes: 0, entryBytes: 1e6 });
  cache.set(makeKey(1, 'a'), '1');
  assert.equal(cache.get(makeKey(1, 'a')), undefined);
  assert.equal(cache.entries, 0);
});

test('when closed it holds nothing', async () => {
  const cache = createMemoryCache({ bytes: 1e6, entryBytes: 1e6 });
  cache.set(makeKey(1, 'a'), '1');
  await cache.close();
  assert.equal(cache.get(makeKey(1, 'a')), undefined);
  assert.equal(cache.bytes, 0);
});
