import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockReference, CallRequest } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, nodeError } from '../../pool/support/scripted-node.ts';
import { createStream, readAll, type StreamScript } from '../../pool/support/scripted-stream.ts';
import { setNode } from '../../pool/support/set-node.ts';

const chain = new ScriptedChain({ length: 400 });

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const at = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
const hashed = (hash: string, requireCanonical = false): BlockReference => ({
  kind: 'hash',
  hash,
  requireCanonical,
});
const TO = `0x${'ab'.repeat(20)}`;

const request = (block: BlockReference, more: Partial<CallRequest> = {}): CallRequest => ({
  call: { to: TO, data: '0xabcdef' },
  block,
  ...more,
});

/** A network of one node that supports EIP-1898. */
function createModern(of: ScriptedChain = chain): ScriptedNetwork {
  const node = createNode(of.behaviour());
  setNode(node.upstream, {
    identity: {
      chainId: 1n,
      genesisHash: undefined,
      clientVersion: 'Geth/v1',
      knowsHashParameters: true,
    },
  });
  return createNetwork(of, {}, [node]);
}

const blockOf = (params: string | undefined): unknown => (JSON.parse(params ?? '[]') as unknown[])[1];

describe('calls', () => {
  it('have the number of the served block in place of a tag, or its hash if the node accepts hashes', async () => {
    const old = createNetwork(chain);
    assert.equal(
      await old.chain.execution.call(request(LATEST), createScope()),
      JSON.stringify(chain.hashOf(399)),
    );
    assert.equal(blockOf(old.node.requested.calls[0]?.params), '0x18f');
    const modern = createModern();
    await modern.chain.execution.call(request(LATEST), createScope());
    assert.deepEqual(blockOf(modern.node.requested.calls[0]?.params), {
      blockHash: chain.hashOf(399),
      requireCanonical: false,
    });
  });

  it('have long data unchanged, alone and beside other fields', async () => {
    const data = `0x${'0a'.repeat(200_000)}`;
    for (const call of [{ data }, { to: TO, data, value: '0x1' }]) {
      const { chain: served, node } = createNetwork(chain);
      await served.execution.call(request(LATEST, { call }), createScope());
      const [sent] = JSON.parse(node.requested.calls[0]?.params ?? '[]') as unknown[];
      assert.deepEqual(sent, call);
    }
  });

  it('by tag, number and hash, in any case of hex letters, are sent once', async () => {
    const { chain: served, node } = createNetwork(chain);
    for (const block of [LATEST, at(399), hashed(chain.hashOf(399)), hashed(chain.hashOf(399), true)]) {
      for (const data of ['0xabcdef', '0xABCDEF']) {
        await served.execution.call({ call: { to: TO, data }, block }, createScope());
      }
    }
    assert.equal(node.requested.calls.length, 1);
  });

  it('too large to be a cache key are sent each time', async () => {
    const { chain: served, node } = createNetwork(chain);
    for (const [bytes, requested] of [
      [30_000, 1],
      [40_000, 3],
    ] as const) {
      const call = { to: TO, data: `0x${'ab'.repeat(bytes)}` };
      for (let i = 0; i < 2; i++) await served.execution.call({ call, block: LATEST }, createScope());
      assert.equal(node.requested.calls.length, requested);
    }
  });

  it('on old blocks are sent once, after one request for the block', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (const block of [at(5), hashed(chain.hashOf(5)), at(5)])
      await served.execution.call(request(block), createScope());
    assert.deepEqual(
      requested().map((call) => call.split(' ')[0]),
      ['eth_getBlockByNumber', 'eth_call'],
    );
  });

  it('with other parameters, methods or blocks are other requests', async () => {
    const { chain: served, node } = createNetwork(chain);
    node.behave(answer('"0x1"'));
    const requests = [
      request(LATEST),
      request(at(398)),
      request(LATEST, { call: { to: TO } }),
      request(LATEST, { stateOverrides: { [TO]: { balance: '0x1' } } }),
      request(LATEST, { blockOverrides: { time: '0x1' } }),
    ];
    for (const each of requests) {
      await served.execution.estimateGas(each, createScope());
      await assert.rejects(async () => served.execution.call(each, createScope()), { name: 'ChainError' });
    }
    assert.equal(node.requested.calls.filter(({ method }) => method === 'eth_estimateGas').length, 5);
  });

  it('at latest before and after a reorg are two requests', async () => {
    const { chain: served, switchTo } = createNetwork(chain);
    const first = await served.execution.call(request(LATEST), createScope());
    const after = new ScriptedChain({ length: 400, salt: 1, forkedFrom: 399 });
    switchTo(after);
    const second = await served.execution.call(request(LATEST), createScope());
    assert.equal(first, JSON.stringify(chain.hashOf(399)));
    assert.equal(second, JSON.stringify(after.hashOf(399)));
  });

  it('results at pending, errors and nulls are not cached', async () => {
    const pending = createNetwork(chain);
    pending.node.behave(answer('"0x"'));
    const block: BlockReference = { kind: 'tag', tag: 'pending' };
    for (let i = 0; i < 2; i++) await pending.chain.execution.call(request(block), createScope());
    assert.deepEqual(
      pending.node.requested.calls.map(({ params }) => blockOf(params)),
      ['pending', 'pending'],
    );
    for (const behaviour of [nodeError(3, 'execution reverted', '0x'), answer('null')]) {
      const { chain: served, node } = createNetwork(chain);
      node.behave(behaviour);
      for (let i = 0; i < 2; i++)
        await assert.rejects(async () => served.execution.call(request(LATEST), createScope()));
      assert.equal(node.requested.calls.length, 2);
    }
  });

  it('an estimate always has a block, and overrides only if there are any', async () => {
    const { chain: served, node } = createNetwork(chain);
    node.behave(answer('"0x5208"'));
    const ask = async (more: Partial<CallRequest>): Promise<string> =>
      served.execution.estimateGas(request(LATEST, more), createScope());
    await ask({});
    await ask({ stateOverrides: { [TO]: { nonce: '0x1' } } });
    await ask({ blockOverrides: { time: '0x1' } });
    const tails = node.requested.calls.map(({ params }) => (JSON.parse(params) as unknown[]).slice(1));
    assert.deepEqual(tails, [
      ['0x18f'],
      ['0x18f', { [TO]: { nonce: '0x1' } }],
      ['0x18f', {}, { time: '0x1' }],
    ]);
  });

  it('an estimate at the head has only the call if the node accepts nothing else; others fail with its message', async () => {
    const words = 'too many arguments, want at most 1';
    const behaviour: Behaviour = (call, options) => {
      if (call.method !== 'eth_estimateGas') return chain.behaviour()(call, options);
      const refuses = (JSON.parse(call.params) as unknown[]).length > 1;
      return (refuses ? nodeError(-32602, words) : answer('"0x5208"'))(call, options);
    };
    const { chain: served, node } = createNetwork(chain, {}, [createNode({ behaviour })]);
    const estimate = (block: BlockReference, data: string): unknown =>
      served.execution.estimateGas({ call: { data }, block }, createScope());
    assert.equal(await estimate(LATEST, '0x01'), '"0x5208"');
    const requested = node.requested.calls.length;
    assert.equal(await estimate(LATEST, '0x02'), '"0x5208"');
    assert.equal(await estimate({ kind: 'tag', tag: 'pending' }, '0x03'), '"0x5208"');
    assert.equal(node.requested.calls.length, requested + 2);
    assert.equal(node.requested.calls.at(-1)?.params, '[{"data":"0x03"}]');
    await assert.rejects(async () => estimate(at(7), '0x04'), { kind: 'invalid', message: words });
  });

  it('on blocks that do not exist fail with geth’s messages', async () => {
    const { chain: served } = createNetwork(chain);
    await assert.rejects(async () => served.execution.call(request(at(400)), createScope()), {
      kind: 'failed',
      message: 'header not found',
    });
    await assert.rejects(
      async () => served.execution.call(request({ kind: 'tag', tag: 'safe' }), createScope()),
      {
        kind: 'failed',
        message: 'safe block not found',
      },
    );
  });

  it('with an invalid result are sent to the next node, and fail without one', async () => {
    const strange: readonly Behaviour[] = [answer('null'), answer('"0x1"'), answer('{}'), answer('"abc"')];
    for (const behaviour of strange) {
      const nodes = [
        createNode({ behaviour, tier: 1 }),
        createNode({ behaviour: chain.behaviour(), tier: 2 }),
      ];
      const { chain: served } = createNetwork(chain, {}, nodes);
      assert.equal(
        await served.execution.call(request(LATEST), createScope()),
        JSON.stringify(chain.hashOf(399)),
      );
      const alone = createNetwork(chain, {}, [createNode(behaviour)]);
      await assert.rejects(async () => alone.chain.execution.call(request(LATEST), createScope()), {
        name: 'ChainError',
      });
    }
  });

  const streamed =
    (text: string, script: StreamScript = {}): Behaviour =>
    async () => ({ kind: 'result', result: createStream(text, { pieceBytes: 65_536, ...script }) });

  it('a streamed result is buffered: a wrong one is replaced by another node’s, or an error', async () => {
    const good = `"0x${'ab'.repeat(1_000)}"`;
    const bad = [
      streamed(`"0x${'zz'.repeat(1_000)}"`),
      streamed(`["${good}"]`),
      streamed(`${good.slice(0, -2)}"`),
      streamed(good, { breakAt: 700 }),
    ];
    for (const behaviour of bad) {
      const nodes = [
        createNode({ behaviour, tier: 1 }),
        createNode({ behaviour: streamed(good, { pieceBytes: 7 }), tier: 2 }),
      ];
      const { chain: served } = createNetwork(chain, {}, nodes);
      assert.equal(await served.execution.call(request(LATEST), createScope()), good);
      assert.equal(nodes[0]?.upstream.faults.size, 1);
      const alone = createNetwork(chain, {}, [createNode(behaviour)]);
      await assert.rejects(async () => alone.chain.execution.call(request(LATEST), createScope()), {
        kind: 'unavailable',
      });
    }
  });

  it('a very long result is streamed on: a wrong one is continued with another node’s', async () => {
    const length = 9 * 1_048_576;
    const good = `"0x${'ab'.repeat(length / 2)}"`;
    const bad = [
      streamed(`${good.slice(0, -3)}z0"`),
      streamed(`${good.slice(0, -2)}"`),
      streamed(good, { breakAt: length - 7 }),
    ];
    for (const behaviour of bad) {
      const nodes = [
        createNode({ behaviour, tier: 1 }),
        createNode({ behaviour: streamed(good, { pieceBytes: 70_000 }), tier: 2 }),
      ];
      const { chain: served } = createNetwork(chain, {}, nodes);
      const result = await served.execution.call(request(LATEST), createScope());
      assert.ok(typeof result !== 'string');
      assert.ok((await readAll(result)) === good);
      assert.equal(nodes[0]?.upstream.faults.size, 1);
      const alone = createNetwork(chain, {}, [createNode(behaviour)]);
      const broken = await alone.chain.execution.call(request(LATEST), createScope());
      await assert.rejects(readAll(broken), { name: 'ChainError', kind: 'unavailable' });
    }
  });

  it('an estimate is not accepted as a stream', async () => {
    const { chain: served, node } = createNetwork(chain);
    const source = createStream(`"0x${'1'.repeat(1_000)}"`);
    node.behave(async () => ({ kind: 'result', result: source }));
    await assert.rejects(async () => served.execution.estimateGas(request(LATEST), createScope()), {
      kind: 'unavailable',
    });
  });
});
