import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Cache, CachedAnswer, CacheKey } from '../../../src/cache/cache.ts';
import { createKeeper, fillCache, readCache } from '../../../src/pool/policies/use-cache.ts';
import type { Handler, UpstreamRequest } from '../../../src/pool/upstream-request.ts';
import { createExchange } from '../support/exchange.ts';
import { poolOf } from '../support/pool.ts';
import { answer, createNode, later } from '../support/scripted-node.ts';
import { createStream } from '../support/scripted-stream.ts';
import { setNode } from '../support/set-node.ts';

/** A cache that records its writes; with `isRemote` reads are asynchronous, as with a shared cache. */
function createScriptedCache(isRemote = false): Cache & { readonly writes: string[] } {
  const kept = new Map<string, CachedAnswer>();
  const writes: string[] = [];
  const name = ({ blockHash, request }: CacheKey): string => `${blockHash} ${request}`;
  return {
    writes,
    get(key) {
      const found = kept.get(name(key));
      return isRemote ? Promise.resolve(found) : found;
    },
    set(key, value) {
      writes.push(name(key));
      kept.set(name(key), value);
    },
    evictBlock: () => {},
    evictChain: async () => {},
    describe: () => [],
    close: async () => {},
  };
}

const KEY: CacheKey = { blockHash: '0xaa', request: '1:eth_call:[]' };

function cached(cache: Cache, results: readonly JsonResult[]): Handler {
  let calls = 0;
  const node: Handler = async () => {
    const result = results[calls++];
    if (result === undefined) throw new Error('asked again');
    return result;
  };
  const ask = readCache(cache)(fillCache(createKeeper(cache, () => true))(node));
  return async (context) => ask(context);
}

describe('cache', () => {
  for (const isRemote of [false, true]) {
    it(`answers repeated calls from the cache (${isRemote ? 'shared' : 'own'})`, async () => {
      const ask = cached(createScriptedCache(isRemote), ['"0x1"']);
      for (let i = 0; i < 3; i++)
        assert.equal(await ask(createExchange({ key: KEY, isBound: true })), '"0x1"');
    });
  }

  it('stores nothing without a key, no null, no stream and no error', async () => {
    const cache = createScriptedCache();
    await cached(cache, ['1'])(createExchange());
    await cached(cache, ['null'])(createExchange({ key: KEY, isBound: true }));
    await cached(cache, [createStream('[1]')])(createExchange({ key: KEY, isBound: true }));
    await assert.rejects(cached(cache, [])(createExchange({ key: KEY, isBound: true })), /asked again/);
    assert.deepEqual(cache.writes, []);
  });

  it('separates keys that differ in block or request', async () => {
    const ask = cached(createScriptedCache(), ['1', '2', '3']);
    assert.equal(await ask(createExchange({ key: KEY, isBound: true })), '1');
    assert.equal(await ask(createExchange({ key: { ...KEY, blockHash: '0xbb' } })), '2');
    assert.equal(await ask(createExchange({ key: { ...KEY, request: '2:eth_call:[]' } })), '3');
    assert.equal(await ask(createExchange({ key: KEY, isBound: true })), '1');
  });

  it('is written once for all callers that share an answer', async () => {
    const cache = createScriptedCache(true);
    const node = createNode(later(20, answer('"0x1"')));
    const ask = poolOf([node], { cache });
    const results = Array.from({ length: 40 }, () => ask(createExchange({ key: KEY, isBound: true })));
    assert.deepEqual(new Set(await Promise.all(results)), new Set(['"0x1"']));
    assert.equal(node.requested.calls.length, 1);
    assert.equal(cache.writes.length, 1);
  });
});

describe('fillCache', () => {
  const POSITION = { number: 9n, hash: '0xaa' };
  const ask = async (
    call: Partial<UpstreamRequest>,
    isFinal: boolean,
    knowsHashes = false,
    evidence?: string,
  ): Promise<number> => {
    const cache = createScriptedCache();
    const node = createNode(answer('"0x1"'));
    if (knowsHashes) {
      setNode(node.upstream, {
        identity: {
          chainId: 1n,
          genesisHash: undefined,
          clientVersion: 'Geth/v1',
          knowsHashParameters: true,
        },
      });
    }
    const handler = fillCache(createKeeper(cache, () => isFinal))(async ({ witness }) => {
      if (witness !== undefined) witness.upstream = node.upstream;
      setNode(node.upstream, { evidence });
      return '"0x1"';
    });
    await handler(createExchange({ key: KEY, block: POSITION, ...call }));
    return cache.writes.length;
  };

  it('stores an answer only if it cannot be for another block', async () => {
    assert.equal(await ask({}, false), 0);
    assert.equal(await ask({ paramsByHash: '[]' }, false), 0);
    assert.equal(await ask({ paramsByHash: '[]' }, false, true), 1);
    assert.equal(await ask({ isBound: true }, false), 1);
    assert.equal(await ask({}, true), 1);
  });

  it('does not store an answer of a node that was quarantined meanwhile', async () => {
    assert.equal(await ask({ isBound: true }, false, false, 'about block 0xaa: a lie'), 0);
  });
});
