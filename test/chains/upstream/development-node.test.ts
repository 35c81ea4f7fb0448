import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UNSUPPORTED } from '../../../src/chain/errors.ts';
import { DEFAULT_LOG_LIMITS } from '../../../src/chain/log-range.ts';
import { NodeRefusal } from '../../../src/chain/node-refusal.ts';
import { DevelopmentNode } from '../../../src/chains/upstream/development-node.ts';
import { openUpstreamChain } from '../../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../../src/chains/upstream/sending/options.ts';
import { poolOptionsSchema, upstreamsSchema } from '../../../src/pool/options.ts';
import { createNodeClient } from '../../../src/pool/pool.ts';
import { SENDING_TOOLS } from '../../../src/service/sending-tools.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { createExchange, createScope } from '../../pool/support/exchange.ts';
import { createMemory, openPool } from '../../pool/support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  nodeError,
  type ScriptedNode,
} from '../../pool/support/scripted-node.ts';
import { setNode } from '../../pool/support/set-node.ts';
import { makeTransaction } from '../../support/bad-transactions.ts';
import { ACCEPTS, SendingNode } from '../../support/sending-node.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Stage = {
  readonly scripted: ScriptedNode;
  /** Steps in order: `requested`, `changed`, `refreshed`. */
  readonly events: string[];
  readonly ask: (method: string) => Promise<unknown>;
};

function createStage(behaviour: Behaviour): Stage {
  const events: string[] = [];
  const scripted = createNode({
    behaviour(call, options) {
      events.push('asked');
      return behaviour(call, options);
    },
    tracker: { refreshAnew: async () => void events.push('refreshed') },
  });
  const options = poolOptionsSchema.parse({ development: true });
  const node = new DevelopmentNode({
    upstreams: [scripted.upstream],
    sendToNode: createNodeClient({ network: 'test', options, log: createRecordingLog() }),
    onChanged: () => events.push('changed'),
  });
  return { scripted, events, ask: (method) => node.ask(method, [], createScope()) };
}

describe('the node of a development network', () => {
  it('gets a request once, and is then polled for its head', async () => {
    const { scripted, events, ask } = createStage(answer('true'));
    assert.equal(await ask('anvil_revert'), 'true');
    assert.deepEqual(events, ['asked', 'changed', 'refreshed']);
    assert.equal(scripted.requested.calls[0]?.isOnce, true);
  });

  it('gets a request once even if it fails, and is then polled for its head', async () => {
    for (const kind of ['unreachable', 'timeout', 'malformed', 'rateLimited'] as const) {
      const { events, ask } = createStage(fault(kind));
      await assert.rejects(ask('anvil_mine'));
      assert.deepEqual(events, ['asked', 'changed', 'refreshed'], kind);
    }
  });

  it('is polled again after a send that has made no block yet, without a reported change', async () => {
    const { events, ask } = createStage(answer(`"0x${'ab'.repeat(32)}"`));
    await ask('eth_sendTransaction');
    assert.deepEqual(events, ['asked', 'refreshed', 'refreshed']);
  });

  it('is polled for its head after a signed transaction, before the answer', async () => {
    const node = await SendingNode.start(ACCEPTS);
    node.mines = true;
    const chain = await openUpstreamChain({
      network: 'test',
      upstreams: upstreamsSchema.parse([node.urlOver('http')]),
      // The interval is so long that only a send leads to a poll.
      pool: poolOptionsSchema.parse({ chainId: 1, development: true, pollInterval: '1m' }),
      logs: DEFAULT_LOG_LIMITS,
      verify: 'off',
      cache: createMemory(),
      log: createRecordingLog(),
      sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
    });
    try {
      await waitUntil(() => chain.heads.served !== undefined);
      for (const nonce of [0n, 1n, 2n]) {
        const before = chain.heads.served?.number ?? 0n;
        await chain.transactions.send(makeTransaction({ chainId: 1n, nonce }), createScope());
        assert.equal(chain.heads.served?.number, before + 1n);
      }
    } finally {
      await chain.close();
      node.close();
    }
  });

  it('is not polled for its head after methods that only read', async () => {
    for (const method of [
      'anvil_nodeInfo',
      'hardhat_metadata',
      'anvil_getAutomine',
      'eth_accounts',
      'eth_sign',
    ]) {
      const { events, ask } = createStage(answer('[]'));
      await ask(method);
      assert.deepEqual(events, ['asked'], method);
    }
  });

  it('refuses with its own error, or lacks a method', async () => {
    const refusing = createStage(nodeError(-32602, 'no such snapshot', { id: 1 }));
    await assert.rejects(refusing.ask('evm_revert'), (error) => {
      assert.ok(error instanceof NodeRefusal);
      assert.deepEqual([error.code, error.message, error.nodeData], [-32602, 'no such snapshot', { id: 1 }]);
      return true;
    });
    const lacking = createStage(nodeError(-32601, 'Method not found'));
    assert.equal(await lacking.ask('hardhat_x'), UNSUPPORTED);
  });

  it('gets no request while it is quarantined', async () => {
    const { scripted, events, ask } = createStage(answer('true'));
    setNode(scripted.upstream, { standing: 'quarantined' });
    await assert.rejects(ask('anvil_mine'), { kind: 'unavailable' });
    assert.deepEqual(events, []);
  });
});

it('identical concurrent requests are not coalesced on a development network', async () => {
  for (const [development, requested] of [
    [true, 2],
    [false, 1],
  ] as const) {
    let calls = 0;
    const scripted = createNode(async () => {
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
      return { kind: 'result', result: '"0x1"' };
    });
    const ask = openPool([scripted], { options: { development } });
    const context = createExchange({ sharedAs: 'same' });
    await Promise.all([ask(context), ask(createExchange({ sharedAs: 'same' }))]);
    assert.equal(calls, requested);
  }
});
