import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { readSendWords } from '../../../../src/pool/errors/node-words.ts';
import { createSpend } from '../../../pool/support/create-spend.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { createNetwork } from '../../../pool/support/network.ts';
import { ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  inTurn,
  nodeError,
  type ScriptedNode,
  silent,
} from '../../../pool/support/scripted-node.ts';
import {
  BYTES,
  FUNDS,
  failOf,
  HASH,
  networkOf,
  nodeOf,
  SEND,
  scripted,
  send,
  sends,
  TAKEN,
} from '../../../pool/support/sending-network.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** Sends the same bytes under several keys; the node answers the first send once all of them wait for it. */
async function sendTogether(
  behaviour: Behaviour,
  ...keys: readonly (string | undefined)[]
): Promise<{
  node: ScriptedNode;
  network: ReturnType<typeof networkOf>;
  outcomes: PromiseSettledResult<unknown>[];
}> {
  let open = (): void => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const node = nodeOf(async (call, options) => {
    await isOpen;
    return behaviour(call, options);
  });
  const network = networkOf([node]);
  const [first, ...others] = keys;
  const sent = [send(network, first)];
  await waitUntil(() => sends(node) === 1);
  for (const key of others) sent.push(send(network, key));
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  open();
  return { node, network, outcomes: await Promise.allSettled(sent) };
}

describe('sending a transaction', () => {
  it('returns the answer of the first node that accepts it, before others have answered', async () => {
    const nodes = [nodeOf(silent), nodeOf(TAKEN), nodeOf(silent)];
    assert.equal(await send(networkOf(nodes)), `"${HASH}"`);
    assert.deepEqual(nodes.map(sends), [1, 1, 1]);
  });

  it('goes to a node whose budget is used up only if there is no other node, and never beyond a hard budget', async () => {
    const spent = (hard: boolean): ScriptedNode => {
      const spend = createSpend({ default: 1 }, { credits: 1, hard });
      spend.charge(1);
      return createNode({ behaviour: TAKEN, name: 'spent', spend });
    };
    const nodes = [spent(false), nodeOf(TAKEN)];
    await send(networkOf(nodes));
    assert.deepEqual(nodes.map(sends), [0, 1]);
    const only = spent(false);
    await send(networkOf([only]));
    assert.equal(sends(only), 1);
    const barred = spent(true);
    assert.match((await failOf(send(networkOf([barred])))).message, /has used up its budget of 1 credit/);
    assert.equal(sends(barred), 0);
  });

  it('is not looked up at a node beyond a hard budget', async () => {
    const spend = createSpend({ default: 1 }, { credits: 1, hard: true });
    const behaviour = scripted.behaviour();
    const barred = createNode({ behaviour, name: 'barred', spend });
    spend.charge(1);
    const node = nodeOf(inTurn(TAKEN, nodeError(-32_000, FUNDS)));
    const network = networkOf([node, barred]);
    await send(network);
    await send(network, 'two').catch(() => {});
    assert.equal(sends(node), 2);
    const lookUps = barred.requested.calls.filter(({ method }) => method === 'eth_getTransactionByHash');
    assert.equal(lookUps.length, 0);
  });

  it('continues in the background when its client cancels', async () => {
    const controller = new AbortController();
    let isAborted: boolean | undefined;
    const waits: Behaviour = async (call, options) => {
      controller.abort();
      await nextTurn();
      isAborted = options.signal?.aborted;
      return TAKEN(call, options);
    };
    const network = networkOf([nodeOf(waits)]);
    await network.chain.transactions.send(BYTES, createScope(20_000, controller.signal));
    assert.equal(isAborted, false);
  });

  it('refuses an invalid transaction without a request to a node', async () => {
    const node = nodeOf(TAKEN);
    const network = networkOf([node]);
    for (const [bytes, message] of [
      [new Uint8Array(), 'typed transaction too short'],
      [makeTransaction({ chainId: 5n }), 'invalid sender: invalid chain id for signer: have 5 want 1'],
      [
        makeTransaction({ type: 0, chainId: undefined }),
        'only replay-protected (EIP-155) transactions allowed over RPC',
      ],
    ] as const) {
      const scope = createScope();
      assert.deepEqual(await failOf(network.chain.transactions.send(bytes, scope)), {
        kind: 'failed',
        message,
      });
      assert.equal(scope.hasCalledNode, false);
    }
    assert.deepEqual(network.requested(), []);
  });

  it('reports a request to a node for each caller of a shared send, whether a node accepts or refuses', async () => {
    for (const behaviour of [TAKEN, nodeError(-32000, FUNDS)]) {
      const network = networkOf([nodeOf(behaviour)]);
      const scopes = [createScope(), createScope()];
      await Promise.allSettled(scopes.map((scope) => network.chain.transactions.send(BYTES, scope)));
      assert.deepEqual(
        scopes.map(({ hasCalledNode }) => hasCalledNode),
        [true, true],
      );
    }
  });

  it('leaves limits that other chains have changed to the nodes, unless the rules are Ethereum’s', async () => {
    const bytes = makeTransaction({ type: 0, chainId: 1n, gasLimit: 1n });
    const hash = bytesToHex(keccak256(bytes));
    const node = (): ScriptedNode => nodeOf(answer(`"${hash}"`));
    assert.equal(await networkOf([node()]).chain.transactions.send(bytes, createScope()), `"${hash}"`);
    const strict = networkOf([node()], { send: { rules: 'ethereum' } });
    const { message } = await failOf(strict.chain.transactions.send(bytes, createScope()));
    assert.match(message, /^intrinsic gas too low: gas 1, minimum needed 2/);
  });

  it('accepts transactions without a chain id if that is configured', async () => {
    const bytes = makeTransaction({ type: 0, chainId: undefined });
    const hash = bytesToHex(keccak256(bytes));
    const network = networkOf([nodeOf(answer(`"${hash}"`))], { send: { unprotected: true } });
    assert.equal(await network.chain.transactions.send(bytes, createScope()), `"${hash}"`);
  });

  it('treats a transaction that a node already has as accepted, whatever the message', async () => {
    const words: readonly (readonly [number, string])[] = [
      [-32000, 'already known'],
      [-32000, `known transaction: ${HASH.slice(2)}`],
      [-32010, 'AlreadyKnown'],
      [-32000, 'Known transaction'],
      [-32003, 'transaction already imported'],
      [-32010, 'Transaction with the same hash was already imported.'],
      [-32000, 'INTERNAL_ERROR: existing tx with same hash'],
      [-32603, `Known transaction: ${HASH}`],
      [-32000, 'tx already in mempool'],
    ];
    for (const [code, message] of words)
      assert.equal(await send(networkOf([nodeOf(nodeError(code, message))])), `"${HASH}"`, message);
  });

  it('succeeds again while the only node that accepted the transaction is down', async () => {
    const pending = answer(JSON.stringify({ hash: HASH, blockHash: null, blockNumber: null }));
    const taker = nodeOf(TAKEN, pending);
    const refuses = nodeError(-32000, FUNDS);
    const network = networkOf([taker, nodeOf(refuses), nodeOf(refuses)]);
    assert.equal(await send(network), `"${HASH}"`);
    for (let fault = 0; fault < 5; fault++) taker.upstream.health.fail(1);
    assert.equal(taker.upstream.health.circuit, 'open');
    assert.equal(await send(network), `"${HASH}"`);
    assert.equal(sends(taker), 1);
    // Such a node gets no request for transactions that were never accepted.
    const stranger = nodeOf(TAKEN, pending);
    for (let fault = 0; fault < 5; fault++) stranger.upstream.health.fail(1);
    const other = networkOf([stranger, nodeOf(refuses)]);
    assert.match((await failOf(send(other))).message, /^insufficient funds/);
  });

  it('with a nonce that is too low succeeds if the transaction is known, and fails otherwise', async () => {
    const pending = answer(JSON.stringify({ hash: HASH, blockHash: null, blockNumber: null }));
    for (const message of [
      'nonce too low: next nonce 1, tx nonce 0',
      'OldNonce',
      'Nonce too low',
      'Transaction nonce is too low. Try incrementing the nonce.',
      "Nonce too low. Expected nonce to be 5 but got 3. Note that transactions can't be queued when automining.",
    ]) {
      const refusing = nodeError(-32000, message);
      assert.equal(await send(networkOf([nodeOf(refusing, pending)])), `"${HASH}"`, message);
      const { kind, message: said } = await failOf(send(networkOf([nodeOf(refusing), nodeOf(refusing)])));
      assert.equal(kind, 'failed');
      assert.match(said, /^nonce too low/i, message);
    }
  });

  it('reports the most precise, then the most frequent of several refusals, in geth’s words', async () => {
    const refusals = (...messages: readonly string[]): Promise<{ message: string }> =>
      failOf(send(networkOf(messages.map((message) => nodeOf(nodeError(-32000, message))))));
    const { message } = await refusals('Invalid', 'Invalid', FUNDS);
    assert.equal(message, FUNDS);
    const underpriced = 'transaction underpriced: tip needed 2, tip permitted 1';
    assert.equal((await refusals(FUNDS, underpriced, underpriced)).message, underpriced);
    assert.equal((await refusals('InsufficientFunds, Account balance: 0')).message, FUNDS.split(':')[0]);
    assert.equal((await refusals('FeeTooLow')).message, 'transaction underpriced');
    assert.equal((await refusals('strange words')).message, 'strange words');
  });

  it('uses the answers of other nodes if some nodes have faults', async () => {
    for (const kind of ['unreachable', 'timeout', 'rateLimited', 'malformed', 'unauthorized'] as const) {
      assert.equal(await send(networkOf([nodeOf(fault(kind)), nodeOf(TAKEN)])), `"${HASH}"`, kind);
      const refused = await failOf(send(networkOf([nodeOf(fault(kind)), nodeOf(nodeError(-32000, FUNDS))])));
      assert.equal(refused.message, FUNDS, kind);
    }
  });

  it('reports, if no node answers, whether the transaction may have been sent', async () => {
    const errorOf = (...behaviours: readonly Behaviour[]): Promise<{ kind: string; message: string }> =>
      failOf(send(networkOf(behaviours.map((behaviour) => nodeOf(behaviour)))));
    const unsure = await errorOf(fault('timeout'), fault('rateLimited'));
    assert.equal(unsure.kind, 'unavailable');
    assert.match(unsure.message, /the transaction may or may not have been sent$/);
    assert.equal((await errorOf(fault('rateLimited'))).kind, 'busy');
    const missing = await errorOf(nodeError(-32601, 'the method does not exist'));
    assert.match(missing.message, /is not available; the transaction was not sent$/);
  });

  it('refuses another hash as a fault of the node', async () => {
    const other = nodeOf(answer(`"0x${'11'.repeat(32)}"`));
    assert.equal((await failOf(send(networkOf([other])))).kind, 'unavailable');
    assert.equal(other.upstream.faults.get('wrong'), 1);
    assert.equal(
      await send(networkOf([nodeOf(answer(`"${HASH.toUpperCase().replace('X', 'x')}"`))])),
      `"${HASH}"`,
    );
  });

  it('returns the same hash for the same bytes, and sends concurrent ones once', async () => {
    const taken = inTurn(TAKEN, nodeError(-32000, 'already known'));
    const { node, network, outcomes } = await sendTogether(taken, undefined, 'two', undefined);
    assert.deepEqual(outcomes, Array(3).fill({ status: 'fulfilled', value: `"${HASH}"` }));
    assert.equal(sends(node), 1);
    assert.equal(await send(network), `"${HASH}"`);
    assert.equal(sends(node), 2);
  });

  it('does not refuse a key because of the bounds of another key that sends the same bytes', async () => {
    const busy = inTurn(fault('rateLimited'), TAKEN);
    const { node, outcomes } = await sendTogether(busy, undefined, undefined, 'two');
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    );
    assert.equal(sends(node), 2);
    const refused = await sendTogether(nodeError(-32000, FUNDS), undefined, 'two', 'three');
    assert.equal(sends(refused.node), 1, 'what the nodes say of it holds for all');
  });

  it('sends to the configured nodes or relay', async () => {
    const make = (): ScriptedNode[] => ['a', 'b', 'c'].map((name) => nodeOf(TAKEN, answer('null'), name));
    const named = make();
    await send(networkOf(named, { send: { to: ['b'] } }));
    assert.deepEqual(named.map(sends), [0, 1, 0]);
    const first = make();
    await send(networkOf(first, { send: { to: 'first' } }));
    assert.deepEqual(first.map(sends).toSorted(), [0, 0, 1]);
    const refused = [nodeOf(nodeError(-32000, FUNDS)), nodeOf(TAKEN)];
    assert.equal(await send(networkOf(refused, { send: { to: 'first' } })), `"${HASH}"`);
    const relay = nodeOf(TAKEN);
    const nodes = make();
    const network = networkOf(nodes, { relay });
    await send(network);
    assert.deepEqual([relay, ...nodes].map(sends), [1, 0, 0, 0]);
    for (const block of [1, 2, 3, 4, 5]) {
      network.switchTo(new ScriptedChain({ length: 20 + block }));
      await network.sending.idle;
    }
    assert.deepEqual([relay, ...nodes].map(sends), [1, 0, 0, 0]);
  });

  it('skips nodes that are down while another node is up', async () => {
    const nodes = [nodeOf(TAKEN), nodeOf(TAKEN)];
    const [down] = nodes as [ScriptedNode];
    for (let i = 0; i < 6; i++) down.upstream.health.fail(1);
    assert.equal(down.upstream.health.circuit, 'open');
    await send(networkOf(nodes));
    assert.deepEqual(nodes.map(sends), [0, 1]);
    const alone = nodeOf(TAKEN);
    for (let i = 0; i < 6; i++) alone.upstream.health.fail(1);
    assert.equal(await send(networkOf([alone])), `"${HASH}"`);
  });

  it('bounds the in-flight transactions of one key', async () => {
    const network = networkOf([nodeOf(silent)]);
    const scope = createScope();
    scope.owner = 'one';
    const running: Promise<unknown>[] = [];
    let refused: { kind: string } | undefined;
    // Each transaction is 120 kB, so that the limit is reached soon.
    for (let nonce = 0n; refused === undefined && nonce < 2_000n; nonce++) {
      const bytes = makeTransaction({ chainId: 1n, nonce, data: new Uint8Array(120_000) });
      const outcome = failOf(network.chain.transactions.send(bytes, scope));
      running.push(outcome);
      // Large transactions are checked in a scheduler slot of their owner.
      for (let turn = 0; turn < 4 && refused === undefined; turn++)
        refused = (await Promise.race([outcome, nextTurn()])) ?? undefined;
    }
    assert.equal(refused?.kind, 'busy');
    assert.ok(running.length < 200, `${running.length}`);
  });
});

describe('a sent transaction that is in no block', () => {
  const longer = (blocks: number): ScriptedChain => new ScriptedChain({ length: 20 + blocks });

  it('is sent again to a node that has lost it', async () => {
    const has = answer(JSON.stringify({ hash: HASH, blockHash: null }));
    const keeps = nodeOf(TAKEN, has);
    const forgets = nodeOf(TAKEN, answer('null'));
    const network = createNetwork(scripted, {}, [keeps, forgets]);
    await send(network);
    const again = async (blocks: number): Promise<number[]> => {
      network.moveHead(longer(blocks));
      await network.sending.idle;
      return [keeps, forgets].map(sends);
    };
    assert.deepEqual(await again(1), [1, 1]);
    assert.deepEqual(await again(2), [1, 2]);
    assert.deepEqual(await again(3), [1, 2]);
    assert.deepEqual(await again(4), [1, 3]);
  });

  it('is not sent again once its nonce is used', async () => {
    let count = 0;
    const behaviour: Behaviour = (call, options) => {
      if (call.method === SEND) return TAKEN(call, options);
      if (call.method === 'eth_getTransactionCount')
        return answer(`"0x${count.toString(16)}"`)(call, options);
      if (call.method.startsWith('eth_getTransaction')) return answer('null')(call, options);
      return scripted.behaviour()(call, options);
    };
    const node = createNode(behaviour);
    const network = createNetwork(scripted, {}, [node]);
    await send(network);
    count = 1;
    for (const blocks of [2, 4, 6]) {
      network.moveHead(longer(blocks));
      await network.sending.idle;
    }
    assert.equal(sends(node), 1);
  });
});

describe('readSendWords', () => {
  it('recognises a message only by its beginning', () => {
    assert.equal(readSendWords('rejected: already known'), undefined);
    assert.equal(readSendWords('execution reverted: already known'), undefined);
    assert.equal(readSendWords('execution reverted: nonce too low'), undefined);
  });
});
