import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checksumAddress } from '../../../../packages/ethereum/primitives/address.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { RequestScope } from '../../../../src/util/request-scope.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../../pool/support/network.ts';
import { ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import {
  answer,
  type Behaviour,
  createNode,
  type ScriptedNode,
} from '../../../pool/support/scripted-node.ts';
import { makeTransaction, SENDER } from '../../../support/bad-transactions.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';

const scripted = new ScriptedChain({ length: 20 });
const PENDING = { kind: 'tag', tag: 'pending' } as const;
const LATEST = { kind: 'tag', tag: 'latest' } as const;
const NO_PLACE = { blockHash: null, blockNumber: null, transactionIndex: null } as const;

const scopeOf = (owner: string, session?: string): RequestScope => {
  const scope = createScope();
  scope.owner = owner;
  scope.session = session;
  return scope;
};

const hashOf = (bytes: Uint8Array): string => bytesToHex(keccak256(bytes));

/** A node that accepts all transactions; with `keeps` it has them in its pool. */
function nodeOf(keeps: boolean): ScriptedNode & { readonly pool: Set<string> } {
  const pool = new Set<string>();
  const behaviour: Behaviour = (call, options) => {
    const [first] = JSON.parse(call.params) as [string];
    switch (call.method) {
      case 'eth_sendRawTransaction': {
        const hash = bytesToHex(keccak256(Buffer.from(first.slice(2), 'hex')));
        if (keeps) pool.add(hash);
        return answer(`"${hash}"`)(call, options);
      }
      case 'eth_getTransactionByHash':
        return answer(pool.has(first) ? JSON.stringify({ hash: first, ...NO_PLACE }) : 'null')(call, options);
      case 'eth_getTransactionReceipt':
        return answer('null')(call, options);
      case 'eth_getTransactionCount':
        return answer('"0x3"')(call, options);
      case 'eth_estimateGas':
        return answer('"0x5208"')(call, options);
      default:
        return scripted.behaviour()(call, options);
    }
  };
  return { ...createNode(behaviour), pool };
}

async function send(network: ScriptedNetwork, scope: RequestScope, nonce = 3n): Promise<string> {
  const bytes = makeTransaction({ chainId: 1n, nonce });
  assert.equal(await network.chain.transactions.send(bytes, scope), `"${hashOf(bytes)}"`);
  return hashOf(bytes);
}

const find = async (network: ScriptedNetwork, hash: string, scope: RequestScope): Promise<unknown> =>
  JSON.parse((await network.chain.transactions.getTransaction({ hash }, scope)) ?? 'null');

const count = async (network: ScriptedNetwork, scope: RequestScope): Promise<string> =>
  network.chain.state.getTransactionCount(SENDER, PENDING, scope);

describe('reads of transactions that a key has sent', () => {
  it('return a transaction that no node shows, to its senders only', async () => {
    const network = createNetwork(scripted, {}, [nodeOf(false), nodeOf(false)]);
    const hash = await send(network, scopeOf('one'));
    const { from, nonce, blockHash, to, gasPrice, input, type, transactionIndex } = (await find(
      network,
      hash,
      scopeOf('one'),
    )) as Record<string, unknown>;
    assert.deepEqual(
      { from, nonce, blockHash, to, gasPrice, input, type, transactionIndex },
      {
        from: SENDER,
        nonce: '0x3',
        blockHash: null,
        to: '0x00000000000000000000000000000000000000aa',
        gasPrice: '0x77359400',
        input: '0x010002',
        type: '0x2',
        transactionIndex: null,
      },
    );
    assert.equal(await find(network, hash, scopeOf('two')), null);
    assert.equal(await network.chain.transactions.getReceipt(hash, scopeOf('one')), null);
  });

  it('return a transaction to its session, and not to other sessions of the key', async () => {
    const network = createNetwork(scripted, {}, [nodeOf(false)]);
    const hash = await send(network, scopeOf('one', 'a'));
    assert.notEqual(await find(network, hash, scopeOf('one', 'a')), null);
    assert.equal(await find(network, hash, scopeOf('one', 'b')), null);
    assert.equal(await find(network, hash, scopeOf('one')), null);
    assert.equal(await find(network, hash, scopeOf('two', 'a')), null);
    // Scopes derived for parts of a call have the same session.
    assert.notEqual(await find(network, hash, scopeOf('one', 'a').derive()), null);
  });

  it('count the nonces that were sent as used, without a gap', async () => {
    const network = createNetwork(scripted, {}, [nodeOf(false)]);
    const scope = scopeOf('one');
    assert.equal(await count(network, scope), '"0x3"');
    await send(network, scope, 3n);
    assert.equal(await count(network, scope), '"0x4"');
    await send(network, scope, 5n);
    assert.equal(await count(network, scope), '"0x4"');
    await send(network, scope, 4n);
    assert.equal(await count(network, scope), '"0x6"');
    const asClientsWriteIt = checksumAddress(hexToBytes(SENDER));
    assert.equal(await network.chain.state.getTransactionCount(asClientsWriteIt, PENDING, scope), '"0x6"');
    assert.equal(await count(network, scopeOf('two')), '"0x3"');
    assert.equal(await network.chain.state.getTransactionCount(SENDER, LATEST, scope), '"0x3"');
  });

  it('prefer a node that has the transaction, for it and for pending state', async () => {
    const lacks = createNode((call, options) =>
      call.method === 'eth_sendRawTransaction'
        ? { kind: 'error', error: { code: -32000, message: 'txpool is full', data: undefined } }
        : nodeOf(false).upstream.transport.send(call, options),
    );
    const has = nodeOf(true);
    const network = createNetwork(scripted, {}, [lacks, has]);
    const scope = scopeOf('one');
    const hash = await send(network, scope);
    const askedOf = (node: ScriptedNode, method: string): number =>
      node.requested.calls.filter((call) => call.method === method).length;
    for (let i = 0; i < 4; i++) {
      assert.deepEqual(await find(network, hash, scope), { hash, ...NO_PLACE });
      await count(network, scope);
      await network.chain.execution.estimateGas({ call: { to: SENDER }, block: PENDING }, scope);
    }
    for (const method of ['eth_getTransactionByHash', 'eth_getTransactionCount', 'eth_estimateGas'])
      assert.deepEqual([askedOf(lacks, method), askedOf(has, method)], [0, 4], method);
  });

  it('of pending state are not sent to a node behind the served head', async () => {
    const behind = nodeOf(true);
    const behaviour: Behaviour = (call, options) => behind.upstream.transport.send(call, options);
    const lagging = createNode({ behaviour, tracker: { holds: () => false } });
    const network = createNetwork(scripted, {}, [lagging, nodeOf(true)]);
    const scope = scopeOf('one');
    await send(network, scope);
    for (let i = 0; i < 3; i++) await count(network, scope);
    assert.deepEqual(
      lagging.requested.calls.map(({ method }) => method),
      ['eth_sendRawTransaction'],
    );
  });

  it('of pending state go to the node of a development network, and nothing is recorded for its next chain', async () => {
    const records = new MemoryRecords();
    const network = createNetwork(scripted, { records, isDevelopment: true }, [nodeOf(false)]);
    const scope = scopeOf('one');
    const hash = await send(network, scope, 3n);
    assert.equal(await count(network, scope), '"0x3"');
    const next = createNetwork(scripted, { records, isDevelopment: true }, [nodeOf(false)]);
    assert.equal(await find(next, hash, scope), null);
  });

  it('return transactions that another process has sent, by shared records', async () => {
    const records = new MemoryRecords();
    const make = (): ScriptedNetwork => createNetwork(scripted, { records }, [nodeOf(false)]);
    const [one, other] = [make(), make()];
    const hash = await send(one, scopeOf('one', 'a'), 3n);
    await send(one, scopeOf('one', 'a'), 4n);
    const seen = (await find(other, hash, scopeOf('one', 'a'))) as { hash: string; from: string };
    assert.deepEqual([seen.hash, seen.from], [hash, SENDER]);
    assert.deepEqual(await find(one, hash, scopeOf('one', 'a')), seen);
    assert.equal(await count(other, scopeOf('one', 'a')), '"0x5"');
    assert.equal(await find(other, hash, scopeOf('two', 'a')), null);
    assert.equal(await find(other, hash, scopeOf('one')), null);
  });

  it('do not fail if the records fail', async () => {
    const records = new MemoryRecords();
    records.read = () => Promise.reject(new Error('away'));
    records.create = () => Promise.reject(new Error('away'));
    const network = createNetwork(scripted, { records }, [nodeOf(false)]);
    const hash = await send(network, scopeOf('one'));
    assert.notEqual(await find(network, hash, scopeOf('one')), null);
    assert.equal(await find(network, hash, scopeOf('two')), null);
    assert.equal(await count(network, scopeOf('one')), '"0x4"');
  });

  it('by keys that send nothing do not use the records while nodes have an answer', async () => {
    const records = new MemoryRecords();
    const network = createNetwork(scripted, { records }, [nodeOf(true)]);
    const scope = scopeOf('reader');
    await network.chain.state.getTransactionCount(SENDER, LATEST, scope);
    await network.chain.blocks.getBlock(LATEST, false, scope);
    await network.chain.execution.estimateGas({ call: { to: SENDER }, block: PENDING }, scope);
    assert.deepEqual(records.requested, []);
  });

  it('are bounded per key: 1,025 sends of one key leave room for another key', async () => {
    const network = createNetwork(scripted, {}, [nodeOf(false)]);
    const first = await send(network, scopeOf('one'), 0n);
    for (let nonce = 1n; nonce <= 1_024n; nonce++) await send(network, scopeOf('one'), nonce);
    assert.equal(await find(network, first, scopeOf('one')), null);
    const other = makeTransaction({ chainId: 1n, nonce: 7_000n });
    await network.chain.transactions.send(other, scopeOf('two'));
    assert.notEqual(await find(network, hashOf(other), scopeOf('two')), null);
  });
});
