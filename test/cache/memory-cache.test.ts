import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import type { CachedAnswer, CacheKey } from '../../src/cache/cache.ts';
import { createMemoryCache, type MemoryCache } from '../../src/cache/memory-cache.ts';
import { NameWriter } from '../../src/cache/name-writer.ts';
import { countRuns } from '../support/count-runs.ts';
import { makeBlockHash, makeKey } from './keys.ts';

const KiB = 1024;
/** Smallest size with which the cache stores anything. */
const BYTES = 128 * KiB;
const ENTRY_BYTES = 24 * KiB;

/** Maps all names to one of four hashes. */
class CollidingWriter extends NameWriter {
  override write(key: CacheKey): boolean {
    const isShort = super.write(key);
    this.hash &= 1;
    this.tag = 1 + (this.tag & 1);
    return isShort;
  }
}

/** Last value stored under each key, by its name. */
type Model = { readonly cached: Map<string, string>; hits: number; misses: number };

function nameOf({ blockHash, request }: CacheKey): string {
  return `${blockHash} ${request}`;
}

function toText(answer: CachedAnswer | undefined): string | undefined {
  return answer instanceof JsonBytes ? answer.text : answer;
}

function toBytes(text: string): JsonBytes {
  return new JsonBytes(new SharedBytes(Buffer.from(text)));
}

function check(model: Model, cache: MemoryCache): void {
  assert.ok(cache.bytes <= BYTES, `${cache.bytes} bytes`);
  assert.ok(cache.entries <= model.cached.size);
  assert.equal(cache.hits, model.hits);
  assert.equal(cache.misses, model.misses);
}

/** Reads a key: it may be missing, but a value that is found has to be the last one stored. */
function compareGet(model: Model, cache: MemoryCache, key: CacheKey): boolean {
  const found = cache.get(key);
  if (found === undefined) model.misses++;
  else {
    model.hits++;
    assert.equal(toText(found), model.cached.get(nameOf(key)));
  }
  check(model, cache);
  return found !== undefined;
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
    compareGet(model, cache, this.#key);
  }

  toString(): string {
    return `get ${JSON.stringify(this.#key)}`;
  }
}

class Put implements fc.Command<Model, MemoryCache> {
  readonly #key: CacheKey;
  readonly #text: string;
  readonly #isBytes: boolean;

  constructor(key: CacheKey, text: string, isBytes: boolean) {
    this.#key = key;
    this.#text = text;
    this.#isBytes = isBytes;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, cache: MemoryCache): void {
    const { entries, evictions } = cache;
    const isNew = !model.cached.has(nameOf(this.#key));
    model.cached.set(nameOf(this.#key), this.#text);
    cache.set(this.#key, this.#isBytes ? toBytes(this.#text) : this.#text);
    check(model, cache);
    if (isNew) assert.ok(cache.entries - entries + (cache.evictions - evictions) <= 1);
  }

  toString(): string {
    return `set ${JSON.stringify(this.#key)} ${this.#text.length}`;
  }
}

class Pack implements fc.Command<Model, MemoryCache> {
  readonly #key: CacheKey;
  readonly #length: number;

  constructor(key: CacheKey, length: number) {
    this.#key = key;
    this.#length = length;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, cache: MemoryCache): void {
    const found = cache.get(this.#key);
    if (found === undefined) model.misses++;
    else model.hits++;
    if (found instanceof JsonBytes) {
      const blocks = Buffer.alloc(this.#length);
      const { bytes } = cache;
      const wasPacked = found.value.isPacked;
      found.value.keepPacked({ coding: 'gzip', blocks, length: found.length });
      if (found.value.findPacked('gzip')?.blocks === blocks && cache.evictions === 0 && !wasPacked) {
        assert.equal(cache.bytes, bytes + blocks.length);
      }
    }
    check(model, cache);
  }

  toString(): string {
    return `pack ${JSON.stringify(this.#key)} ${this.#length}`;
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
    const { evictions } = cache;
    cache.evictBlock(this.#blockHash);
    for (const name of model.cached.keys()) {
      if (name.startsWith(`${this.#blockHash} `)) model.cached.delete(name);
    }
    assert.equal(cache.evictions, evictions);
    check(model, cache);
  }

  toString(): string {
    return `evict ${this.#blockHash}`;
  }
}

const blockHash = fc.integer({ min: 0, max: 5 }).map(makeBlockHash);
const request = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'é', ' ', '\ud800', '\ud801', '語'),
  fc.nat(200).map((n) => `1:eth_call:${n}`),
  fc.tuple(fc.constantFrom('x', 'é', '\udc00'), fc.nat(3_000)).map(([unit, count]) => unit.repeat(count)),
);
const key = fc.record({ blockHash, request });
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc
    .tuple(fc.constantFrom('x', 'é', '語'), fc.oneof(fc.nat(1_500), fc.nat(14_000)))
    .map(([unit, count]) => unit.repeat(count)),
);
const commands = [
  key.map((value) => new Get(value)),
  fc.tuple(key, text, fc.boolean()).map(([where, what, isBytes]) => new Put(where, what, isBytes)),
  fc.tuple(key, fc.nat(30_000)).map(([where, length]) => new Pack(where, length)),
  blockHash.map((value) => new EvictBlock(value)),
];

describe('memory cache', () => {
  for (const [what, Writer] of [
    ['hashes', NameWriter],
    ['hashes that collide', CollidingWriter],
  ] as const) {
    it(`returns the last stored value or nothing, within its memory limit, by ${what}`, () => {
      fc.assert(
        fc.property(fc.commands(commands, { size: '+2', maxCommands: 400 }), (run) => {
          const model: Model = { cached: new Map(), hits: 0, misses: 0 };
          const cache = createMemoryCache(
            { bytes: BYTES, entryBytes: ENTRY_BYTES },
            (maxBytes) => new Writer(maxBytes),
          );
          fc.modelRun(() => ({ model, real: cache }), run);
          const { entries } = cache;
          let found = 0;
          for (const name of model.cached.keys()) {
            const at = name.indexOf(' ');
            if (compareGet(model, cache, { blockHash: name.slice(0, at), request: name.slice(at + 1) }))
              found++;
          }
          assert.equal(found, entries);
        }),
        { numRuns: countRuns(200) },
      );
    });
  }

  it('stores everything that fits', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.string({ maxLength: 20 })), { maxLength: 20 }), (pairs) => {
        const cache = createMemoryCache({ bytes: 1024 * KiB, entryBytes: ENTRY_BYTES });
        const cached = new Map<string, string>();
        for (const [where, what] of pairs) {
          cache.set(where, what);
          cached.set(nameOf(where), what);
        }
        for (const [where] of pairs) assert.equal(cache.get(where), cached.get(nameOf(where)));
      }),
    );
  });

  it('retains repeatedly requested entries in a stream of entries requested once', () => {
    const cache = createMemoryCache({ bytes: 4096 * KiB, entryBytes: ENTRY_BYTES });
    const answer = 'x'.repeat(200);
    for (let i = 0; i < 100; i++) cache.set(makeKey(i, 'again'), answer);
    for (let i = 0; i < 50_000; i++) {
      cache.set(makeKey(i, 'once'), answer);
      assert.equal(cache.get(makeKey(i % 100, 'again')), answer);
    }
    // Less than the limit: the part for new entries, the tables and one segment.
    assert.ok(cache.bytes < 1_600 * KiB, `${cache.bytes} bytes`);
    assert.equal(cache.entries + cache.evictions, 50_100);
  });

  it('evicts entries that are requested only while they are new, like calls at the newest block', () => {
    const cache = createMemoryCache({ bytes: 32 * 1024 * KiB, entryBytes: ENTRY_BYTES });
    for (const [length, calls] of [
      [200, 50],
      [20 * KiB, 50],
    ] as const) {
      const answer = 'x'.repeat(length);
      for (let block = 0; block < 500; block++) {
        const name = `of ${length} at ${block}`;
        for (let i = 0; i < calls; i++) cache.set(makeKey(i, name), answer);
        for (let i = 0; i < 200; i++) assert.equal(toText(cache.get(makeKey(i % calls, name))), answer);
      }
      // An eighth of the limit, as much in segments that are free again, and the tables: nothing has entered the main part.
      assert.ok(cache.bytes < 11 * 1024 * KiB, `${cache.bytes} bytes`);
    }
  });

  it('admits entries to the main part when they are stored again after an eviction', () => {
    const cache = createMemoryCache({ bytes: 4096 * KiB, entryBytes: ENTRY_BYTES });
    const fill = (from: number): void => {
      for (let i = from; i < from + 3_000; i++) cache.set(makeKey(i, 'x'), 'x'.repeat(200));
    };
    const countKept = (): number => {
      let cached = 0;
      for (let i = 0; i < 100; i++) if (cache.get(makeKey(i, 'back')) === '1') cached++;
      return cached;
    };
    for (let i = 0; i < 100; i++) cache.set(makeKey(i, 'back'), '1');
    fill(0);
    assert.equal(countKept(), 0);
    for (let i = 0; i < 100; i++) cache.set(makeKey(i, 'back'), '1');
    fill(3_000);
    // A fingerprint may have been overwritten by another one.
    assert.ok(countKept() > 50);
  });

  it('fills its memory limit with repeatedly requested entries, without exceeding it', () => {
    const bytes = 2048 * KiB;
    const cache = createMemoryCache({ bytes, entryBytes: ENTRY_BYTES });
    for (let i = 0; i < 20_000; i++) {
      cache.set(makeKey(i, 'x'), 'x'.repeat(i % 10 === 0 ? 10_000 : 300));
      assert.notEqual(cache.get(makeKey(i, 'x')), undefined);
      assert.ok(cache.bytes <= bytes);
    }
    assert.ok(cache.bytes > 0.9 * bytes);
    assert.equal(cache.entries + cache.evictions, 20_000);
  });

  it('returns the same bytes object for large answers, without copies', () => {
    const cache = createMemoryCache({ bytes: 1024 * KiB, entryBytes: 200 * KiB });
    const value = new SharedBytes(Buffer.allocUnsafeSlow(100_000).fill(0x31));
    cache.set(makeKey(1, 'a'), new JsonBytes(value));
    assert.equal((cache.get(makeKey(1, 'a')) as JsonBytes).value, value);
    const part = new SharedBytes(new Uint8Array(200_000).fill(0x32).subarray(0, 100_000));
    cache.set(makeKey(1, 'b'), new JsonBytes(part));
    const cached = cache.get(makeKey(1, 'b')) as JsonBytes;
    assert.equal(cached.value.bytes.buffer.byteLength, 100_000);
    assert.equal(cached.text, '2'.repeat(100_000));
  });

  it('stores and counts the compressed form of cached entries only', () => {
    const cache = createMemoryCache({ bytes: 1024 * KiB, entryBytes: 200 * KiB });
    const value = new SharedBytes(Buffer.allocUnsafeSlow(100_000).fill(0x31));
    const packed = { coding: 'gzip', blocks: Buffer.alloc(1_000), length: 100_000 };
    const other = { ...packed, coding: 'br', blocks: Buffer.alloc(500) };
    value.keepPacked(packed);
    assert.equal(value.isPacked, false);
    cache.set(makeKey(1, 'a'), new JsonBytes(value));
    const { bytes } = cache;
    for (const one of [packed, { ...packed }, other]) value.keepPacked(one);
    assert.equal(value.findPacked('gzip'), packed);
    assert.equal(value.findPacked('br'), other);
    assert.equal(value.findPacked('zstd'), undefined);
    assert.equal(cache.bytes, bytes + 1_500);
    cache.evictBlock(makeBlockHash(1));
    assert.equal(cache.bytes, bytes - 100_000);
  });

  it('distinguishes keys whose block hash and request concatenate to the same text', () => {
    const cache = createMemoryCache({ bytes: 1e6, entryBytes: 1e6 });
    cache.set({ blockHash: '0xa', request: 'b c' }, '1');
    cache.set({ blockHash: '0xa', request: 'bc' }, '2');
    cache.set({ blockHash: '0xab', request: 'c' }, '3');
    assert.equal(cache.get({ blockHash: '0xa', request: 'b c' }), '1');
    assert.equal(cache.get({ blockHash: '0xa', request: 'bc' }), '2');
    assert.equal(cache.get({ blockHash: '0xab', request: 'c' }), '3');
    cache.evictBlock('0xa');
    assert.equal(cache.entries, 1);
  });

  it('evicts the answers of one chain or of all chains, and no longer counts them', async () => {
    const cache = createMemoryCache({ bytes: 16 * 1024 * KiB, entryBytes: 200 * KiB });
    const large = JSON.stringify('x'.repeat(20_000));
    const fill = (): void => {
      for (let block = 1; block <= 50; block++) {
        for (const chain of ['1:', '10:', '1@0xab:', '11:'])
          cache.set(makeKey(block, `${chain}eth_call:["é"]`), '"a"');
        cache.set(makeKey(block, '1:eth_call:[]'), '"b"');
      }
      cache.set(makeKey(1, '1:eth_getLogs:[]'), large);
      cache.set(makeKey(1, '10:eth_getLogs:[]'), large);
    };
    fill();
    const before = cache.entries;
    assert.equal(before, 252);
    await cache.evictChain('1');
    assert.equal(cache.entries, before - 50 - 50 - 50 - 1);
    for (let block = 1; block <= 50; block++) {
      assert.equal(cache.get(makeKey(block, '1:eth_call:[]')), undefined);
      assert.equal(cache.get(makeKey(block, '1:eth_call:["é"]')), undefined);
      assert.equal(cache.get(makeKey(block, '1@0xab:eth_call:["é"]')), undefined);
      assert.equal(cache.get(makeKey(block, '10:eth_call:["é"]')), '"a"');
      assert.equal(cache.get(makeKey(block, '11:eth_call:["é"]')), '"a"');
    }
    await cache.evictChain(undefined);
    assert.equal(cache.entries, 0);
    fill();
    assert.equal(cache.entries, before);
    assert.equal(cache.get(makeKey(7, '1:eth_call:[]')), '"b"');
  });

  it('stores nothing without memory', () => {
    const cache = createMemoryCache({ bytes: 0, entryBytes: 1e6 });
    cache.set(makeKey(1, 'a'), '1');
    assert.equal(cache.get(makeKey(1, 'a')), undefined);
    assert.equal(cache.entries, 0);
  });

  it('is empty after close', async () => {
    const cache = createMemoryCache({ bytes: 1e6, entryBytes: 1e6 });
    cache.set(makeKey(1, 'a'), '1');
    await cache.close();
    assert.equal(cache.get(makeKey(1, 'a')), undefined);
    assert.equal(cache.bytes, 0);
  });
});
