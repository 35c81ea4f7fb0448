import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { makeHash, ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, fault, later } from '../../pool/support/scripted-node.ts';
import { createStream } from '../../pool/support/scripted-stream.ts';

const chain = new ScriptedChain({ length: 400, transactions: (number) => number % 4, mergedFrom: 100 });
let scope = createScope();

describe('BlockDirectory', () => {
  // A scope has a deadline, so each test creates its own.
  beforeEach(() => {
    scope = createScope();
  });

  it('requests a block once, by number or by hash', async () => {
    const { directory, requested } = createNetwork(chain);
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await directory.findByNumber(390n, scope), chain.block(390));
      assert.deepEqual(await directory.findByHash(chain.hashOf(390), scope), chain.block(390));
    }
    assert.deepEqual(requested(), ['eth_getBlockByNumber ["0x186",false]']);
  });

  it('bounds the bytes of cached blocks, whatever field of a header is long', async () => {
    const { directory, requested, node } = createNetwork(chain);
    const honest = chain.behaviour();
    const extraData = `0x${'ab'.repeat(100_000)}`;
    node.behave(async (call, options) => {
      const reply = await honest(call, options);
      if (reply.kind !== 'result' || typeof reply.result !== 'string' || !/Block/.test(call.method))
        return reply;
      return { kind: 'result', result: JSON.stringify({ ...JSON.parse(reply.result), extraData }) };
    });
    const find = async (number: number): Promise<number> => {
      const before = requested().length;
      const block = await directory.findByHash(chain.hashOf(number), scope);
      assert.equal(block?.extraData.length, extraData.length);
      return requested().length - before;
    };
    for (let number = 100; number < 250; number++) assert.equal(await find(number), 1);
    assert.equal(await find(249), 0);
    assert.equal(await find(100), 1, '150 blocks of 200 kB are not all held');
  });

  it('sends one request for concurrent callers', async () => {
    const { directory, requested, node } = createNetwork(chain);
    node.behave(later(10, chain.behaviour()));
    const found = await Promise.all(
      Array.from({ length: 30 }, () => directory.findByNumber(5n, createScope())),
    );
    assert.deepEqual(found, Array(30).fill(chain.block(5)));
    assert.equal(requested().length, 1);
  });

  it('knows the hashes of recent and of requested blocks, until a reorg', async () => {
    const { directory } = createNetwork(chain);
    assert.equal(directory.hashOf(399n), chain.hashOf(399));
    assert.equal(directory.hashOf(5n), undefined);
    await directory.findByNumber(5n, scope);
    assert.equal(directory.hashOf(5n), chain.hashOf(5));
    directory.forgetNumbers();
    assert.equal(directory.hashOf(5n), undefined);
  });

  it('does not use an answer that was in flight during a reorg for heights', async () => {
    const { directory, node } = createNetwork(chain);
    node.behave(later(10, chain.behaviour()));
    const finding = directory.findByNumber(5n, scope);
    directory.forgetNumbers();
    assert.deepEqual(await finding, chain.block(5));
    assert.equal(directory.hashOf(5n), undefined);
  });

  it('does not coalesce a request after a reorg with one before it', async () => {
    const { directory, node } = createNetwork(chain);
    node.behave(later(20, chain.behaviour()));
    const before = directory.findByNumber(5n, scope);
    directory.forgetNumbers();
    const fork = new ScriptedChain({ length: 400, salt: 4 });
    node.behave(fork.behaviour());
    assert.deepEqual(await directory.findByNumber(5n, scope), fork.block(5));
    assert.deepEqual(await before, chain.block(5));
    assert.equal(directory.hashOf(5n), fork.hashOf(5));
  });

  it('accepts an old block that two nodes report, and does not count one node twice', async () => {
    const fork = new ScriptedChain({ length: 400, salt: 4 });
    const find = async (...behaviours: readonly Behaviour[]): Promise<unknown> => {
      const nodes = behaviours.map((behaviour, tier) => createNode({ behaviour, tier }));
      return createNetwork(chain, {}, nodes).directory.findByNumber(5n, scope);
    };
    const [honest, forked] = [chain.behaviour(), fork.behaviour()];
    assert.deepEqual(await find(honest), chain.block(5));
    assert.deepEqual(await find(honest, fault('unreachable')), chain.block(5));
    assert.deepEqual(await find(forked, honest, honest), chain.block(5));
    await assert.rejects(find(forked, honest), { kind: 'wrong' });
    await assert.rejects(find(answer('null'), forked, honest), { kind: 'wrong' });
  });

  it('refuses another block than the requested one', async () => {
    const wrong = createNetwork(chain, {}, [createNode(answer(JSON.stringify(chain.blockObject(6))))]);
    await assert.rejects(async () => wrong.directory.findByNumber(5n, scope), { kind: 'wrong' });
    await assert.rejects(async () => wrong.directory.findByHash(chain.hashOf(5), scope), { kind: 'wrong' });
    const fork = new ScriptedChain({ length: 400, salt: 7 });
    const forked = createNetwork(chain, {}, [createNode(fork.behaviour())]);
    await assert.rejects(async () => forked.directory.findByNumber(390n, scope), { kind: 'wrong' });
    const nonsense = createNetwork(chain, {}, [createNode(answer('{"number":"0x5"}'))]);
    await assert.rejects(async () => nonsense.directory.findByNumber(5n, scope), { kind: 'malformed' });
  });

  it('sends to another node after a wrong block', async () => {
    const nodes = [
      createNode({ behaviour: answer(JSON.stringify(chain.blockObject(6))), tier: 1 }),
      createNode({ behaviour: chain.behaviour(), tier: 2 }),
    ];
    const { directory } = createNetwork(chain, {}, nodes);
    assert.deepEqual(await directory.findByNumber(5n, scope), chain.block(5));
  });

  it('accepts blocks that arrive as a stream', async () => {
    const { directory, node } = createNetwork(chain);
    const text = JSON.stringify(chain.blockObject(7));
    node.behave(async () => ({ kind: 'result', result: createStream(text) }));
    assert.deepEqual(await directory.findByNumber(7n, scope), chain.block(7));
  });

  it('reports a number as absent only if two nodes lack the block', async () => {
    const nulls = [createNode(answer('null')), createNode(answer('null'))];
    assert.equal(await createNetwork(chain, {}, nulls).directory.findByNumber(5n, scope), null);
    const alone = createNetwork(chain, {}, nulls.slice(0, 1));
    await assert.rejects(async () => alone.directory.findByNumber(5n, scope), { kind: 'missing' });
    assert.equal(await alone.directory.findByHash(makeHash(1, 9, 9), scope), null);
  });

  it('derives the merge from every block with difficulty 0, except block 0', async () => {
    const old = new ScriptedChain({ length: 50, mergedFrom: 1_000 });
    const { directory: before } = createNetwork(old);
    await before.findByNumber(49n, scope);
    assert.equal(before.isMergedAt(49n), false);
    const { directory } = createNetwork(chain);
    assert.equal(directory.isMergedAt(399n), true);
    assert.equal(directory.isMergedAt(398n), false);
    await directory.findByNumber(150n, scope);
    await directory.findByNumber(99n, scope);
    assert.equal(directory.isMergedAt(150n), true);
    assert.equal(directory.isMergedAt(149n), false);
    const { directory: staked } = createNetwork(new ScriptedChain({ length: 3 }));
    await staked.findByNumber(0n, scope);
    assert.equal(staked.isMergedAt(0n), false);
  });
});
