import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockReference, BlockTag } from '../../../src/chain/requests.ts';
import { BlockDirectory } from '../../../src/chains/upstream/block-directory.ts';
import { BlockResolver } from '../../../src/chains/upstream/block-resolver.ts';
import type { HeadReport } from '../../../src/pool/heads/electorate.ts';
import { createScope, watchListeners } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { createHead, makeHash, ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, createNode } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 400 });
const MARKS = { safe: chain.block(390), finalized: chain.block(380) };

const tag = (name: BlockTag): BlockReference => ({ kind: 'tag', tag: name });
const byNumber = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
const byHash = (hash: string, requireCanonical = false): BlockReference => ({
  kind: 'hash',
  hash,
  requireCanonical,
});

const at = (number: number, hash: string | undefined = chain.hashOf(number)): unknown => ({
  kind: 'block',
  position: { number: BigInt(number), hash },
  isCanonical: true,
});

describe('BlockResolver', () => {
  it('resolves tags to the served blocks', async () => {
    const { resolver, switchTo, requested } = createNetwork(chain);
    switchTo(chain, MARKS);
    const scope = createScope();
    assert.deepEqual(await resolver.resolve(tag('latest'), scope), at(399));
    assert.deepEqual(await resolver.resolve(tag('safe'), scope), at(390));
    assert.deepEqual(await resolver.resolve(tag('finalized'), scope), at(380));
    assert.deepEqual(await resolver.resolve(tag('earliest'), scope), at(0));
    assert.deepEqual(await resolver.resolve(tag('pending'), scope), { kind: 'pending' });
    assert.deepEqual(requested(), []);
  });

  it('resolves a tag that nodes do not know to none, unless a substitute is configured', async () => {
    const none = { kind: 'none', message: 'safe block not found' };
    const resolveSafe = (script: Parameters<typeof createNetwork>[1]): Promise<unknown> => {
      const { resolver, switchTo } = createNetwork(chain, script);
      switchTo(chain, { finalized: MARKS.finalized });
      return resolver.resolve(tag('safe'), createScope());
    };
    assert.deepEqual(await resolveSafe({}), none);
    assert.deepEqual(await resolveSafe({ tags: { safe: 'none' } }), none);
    assert.deepEqual(await resolveSafe({ tags: { safe: 'latest' } }), at(399));
    assert.deepEqual(await resolveSafe({ tags: { safe: 'finalized' } }), at(380));
    assert.deepEqual(await resolveSafe({ tags: { safe: 'finalized', finalized: 'none' } }), {
      kind: 'none',
      message: 'finalized block not found',
    });
  });

  it('resolves numbers up to the head without a request', async () => {
    const { resolver, requested } = createNetwork(chain);
    assert.deepEqual(await resolver.resolve(byNumber(399), createScope()), at(399));
    assert.deepEqual(await resolver.resolve(byNumber(5), createScope()), {
      kind: 'block',
      position: { number: 5n, hash: undefined },
      isCanonical: true,
    });
    assert.deepEqual(await resolver.resolve(byNumber(400), createScope()), {
      kind: 'none',
      message: 'header not found',
    });
    assert.deepEqual(requested(), []);
  });

  it('resolves hashes of canonical blocks, recent or old', async () => {
    const { resolver, requested } = createNetwork(chain);
    assert.deepEqual(await resolver.resolve(byHash(chain.hashOf(399)), createScope()), at(399));
    assert.deepEqual(requested(), []);
    assert.deepEqual(await resolver.resolve(byHash(chain.hashOf(398)), createScope()), at(398));
    for (const requireCanonical of [false, true]) {
      assert.deepEqual(
        await resolver.resolve(byHash(chain.hashOf(5), requireCanonical), createScope()),
        at(5),
      );
    }
  });

  it('resolves orphaned blocks by hash, unless a canonical block is required', async () => {
    const fork = new ScriptedChain({ length: 390, salt: 3, forkedFrom: 300 });
    const knowsBoth = createNode(({ method, params }) => {
      const values = JSON.parse(params) as unknown[];
      const result = chain.answer(method, values) ?? fork.answer(method, values);
      return { kind: 'result', result: JSON.stringify(result) };
    });
    const { resolver } = createNetwork(chain, {}, [knowsBoth]);
    assert.deepEqual(await resolver.resolve(byHash(fork.hashOf(350)), createScope()), {
      kind: 'block',
      position: { number: 350n, hash: fork.hashOf(350) },
      isCanonical: false,
    });
    assert.deepEqual(await resolver.resolve(byHash(fork.hashOf(350), true), createScope()), {
      kind: 'none',
      message: 'hash is not currently canonical',
    });
  });

  it('resolves unknown hashes and those of blocks above the head to none', async () => {
    const longer = new ScriptedChain({ length: 405 });
    const { resolver } = createNetwork(chain, {}, [createNode(longer.behaviour())]);
    for (const hash of [makeHash(9, 9, 9), longer.hashOf(402)]) {
      assert.deepEqual(await resolver.resolve(byHash(hash), createScope()), {
        kind: 'none',
        message: 'header for hash not found',
      });
    }
  });
});

describe('callers before the first head', () => {
  function createBlind() {
    let mayBeKnown = true;
    const reports: HeadReport[] = [];
    const head = createHead(() => reports);
    const directory = new BlockDirectory(async () => 'null', head);
    const resolver = new BlockResolver({
      head,
      directory,
      tags: {},
      genesisHash: () => undefined,
      mayBeKnown: () => mayBeKnown,
      explainOutage: () => 'the only node does not answer',
    });
    const see = (): void => {
      reports.push(chain.report());
      head.update();
      resolver.noteChange();
    };
    const giveUp = (): void => {
      mayBeKnown = false;
      resolver.noteChange();
    };
    return { resolver, see, giveUp };
  }

  it('wait for the head', async () => {
    const { resolver, see } = createBlind();
    const waiting = [1, 2, 3].map(() => resolver.resolve(tag('latest'), createScope()));
    setImmediate(see);
    for (const resolved of await Promise.all(waiting)) assert.deepEqual(resolved, at(399));
  });

  it('fail at once when there will be none', async () => {
    const { resolver, giveUp } = createBlind();
    const waiting = resolver.resolve(tag('latest'), createScope());
    setImmediate(giveUp);
    const outage = { kind: 'unavailable', message: 'the only node does not answer' };
    await assert.rejects(waiting, outage);
    await assert.rejects(resolver.getHead(createScope()), outage);
    await assert.rejects(resolver.resolve(byNumber(3), createScope()), outage);
  });

  it('wait until their deadline or cancellation, and leave no listeners behind', async () => {
    const { resolver } = createBlind();
    await assert.rejects(resolver.getHead(createScope(1)), { name: 'ChainError', kind: 'unavailable' });
    const caller = new AbortController();
    const scope = createScope(20_000, caller.signal);
    const countListeners = watchListeners(scope);
    const waiting = resolver.getHead(scope);
    caller.abort();
    await assert.rejects(waiting, { kind: 'unavailable' });
    assert.equal(countListeners(), 0);
    const gone = createScope(20_000, AbortSignal.abort());
    await assert.rejects(resolver.getHead(gone), { kind: 'unavailable' });
  });
});

describe('a head that no node has confirmed for too long', () => {
  const outage = {
    name: 'ChainError',
    kind: 'unavailable',
    message: 'no node has confirmed block 399 for 60 s: the only node does not answer',
  };

  function createExpired() {
    const network = createNetwork(chain);
    network.switchTo(chain, MARKS);
    Object.defineProperties(network.head, {
      hindrance: { value: 'age' },
      isExpired: { value: true },
      unconfirmedMs: { value: 60_400 },
    });
    return network;
  }

  it('refuses references that may have changed', async () => {
    const { resolver } = createExpired();
    const refused = [
      ...(['latest', 'safe', 'finalized', 'pending'] as const).map(tag),
      byNumber(381),
      byNumber(500),
    ];
    for (const reference of [...refused, byHash(chain.hashOf(399), true)]) {
      await assert.rejects(resolver.resolve(reference, createScope()), outage);
      assert.equal(resolver.resolveNow(reference), undefined);
    }
    await assert.rejects(resolver.getHead(createScope()), outage);
  });

  it('resolves references that cannot change', async () => {
    const { resolver } = createExpired();
    assert.deepEqual(await resolver.resolve(byNumber(380), createScope()), at(380));
    assert.deepEqual(await resolver.resolve(tag('earliest'), createScope()), at(0));
    assert.deepEqual(await resolver.resolve(byHash(chain.hashOf(398)), createScope()), at(398));
  });
});

it('a malformed answer about a hash is refused', async () => {
  const { resolver } = createNetwork(chain, {}, [createNode(answer('"nonsense"'))]);
  await assert.rejects(resolver.resolve(byHash(chain.hashOf(5)), createScope()), { kind: 'malformed' });
});
