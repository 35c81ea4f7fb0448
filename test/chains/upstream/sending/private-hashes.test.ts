import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createScope } from '../../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../../pool/support/network.ts';
import { ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, fault, nodeError } from '../../../pool/support/scripted-node.ts';
import {
  failOf,
  HASH,
  networkOf,
  nodeOf,
  scripted,
  send,
  TAKEN,
} from '../../../pool/support/sending-network.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';

/** Sends every request that finds a transaction by its hash, as this owner. */
async function requestAll({ chain }: ScriptedNetwork, owner: string): Promise<(string | null)[]> {
  const scope = createScope();
  scope.owner = owner;
  const { transactions } = chain;
  const answers = [
    await transactions.getTransaction({ hash: HASH }, scope),
    await transactions.getReceipt(HASH, scope),
    await transactions.getRawTransaction({ hash: HASH }, scope),
  ];
  for (const params of [[HASH], [HASH, { tracer: 'callTracer' }], [HASH.toUpperCase().replace('X', 'x')]])
    assert.equal(
      (await failOf(chain.request('debug_traceTransaction', params, scope) as Promise<unknown>)).kind,
      'absent',
    );
  return answers as (string | null)[];
}

const tells = (network: ScriptedNetwork): string[] =>
  network.requested().filter((call) => call.toLowerCase().includes(HASH.slice(2)));

describe('the hash of a transaction that went to a private relay', () => {
  it('is sent to no node before its nonce is used, whoever requests it', async () => {
    const network = networkOf(
      [1, 2, 3].map(() => nodeOf(TAKEN)),
      { relay: nodeOf(TAKEN) },
    );
    assert.equal(await send(network), `"${HASH}"`);
    const [own, receipt, raw] = await requestAll(network, 'one');
    assert.equal((JSON.parse(own ?? 'null') as { blockHash?: null } | null)?.blockHash, null);
    assert.deepEqual([receipt, raw], [null, null]);
    assert.deepEqual(await requestAll(network, 'two'), [null, null, null]);
    for (const blocks of [2, 4, 6]) {
      network.moveHead(new ScriptedChain({ length: 20 + blocks }));
      await network.sending.idle;
    }
    assert.deepEqual(tells(network), []);
  });

  it('is withheld even if the relay has not confirmed the transaction', async () => {
    for (const relay of [
      fault('timeout'),
      nodeError(-32000, 'nonce too low'),
      nodeError(-32000, 'strange words'),
    ]) {
      const network = networkOf([nodeOf(TAKEN)], { relay: nodeOf(relay) });
      await failOf(send(network));
      await requestAll(network, 'one');
      assert.deepEqual(tells(network), []);
    }
  });

  it('is withheld by every process that shares records', async () => {
    const records = new MemoryRecords();
    const first = networkOf([nodeOf(TAKEN)], { relay: nodeOf(TAKEN), records });
    const second = networkOf([nodeOf(TAKEN)], { relay: nodeOf(TAKEN), records });
    await send(first);
    await requestAll(second, 'two');
    assert.deepEqual(tells(second), []);
  });

  it('is sent to nodes once the nonce is used', async () => {
    let count = 0;
    const behaviour: Behaviour = (call, options) => {
      if (call.method === 'eth_getTransactionCount') return answer(`"0x${count}"`)(call, options);
      if (call.method === 'eth_getTransactionReceipt') return answer('null')(call, options);
      return scripted.behaviour()(call, options);
    };
    const network = createNetwork(scripted, { relay: nodeOf(TAKEN) }, [createNode(behaviour)]);
    await send(network);
    count = 1;
    network.moveHead(new ScriptedChain({ length: 21 }));
    await network.chain.transactions.getReceipt(HASH, createScope());
    assert.equal(tells(network).length, 1);
  });

  it('on a network without a relay causes no request for the nonce', async () => {
    const network = networkOf([nodeOf(TAKEN)]);
    await send(network);
    await network.chain.transactions.getReceipt(HASH, createScope());
    assert.equal(network.requested().filter((call) => call.startsWith('eth_getTransactionCount')).length, 0);
  });
});
