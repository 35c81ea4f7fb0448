import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { PoolOptions } from '../../../../src/pool/options.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { createNetwork, type NetworkScript, type ScriptedNetwork } from '../../../pool/support/network.ts';
import { type ChainScript, ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { type Behaviour, createNode } from '../../../pool/support/scripted-node.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';

const SENT_BYTES = makeTransaction({ chainId: 1n, nonce: 3n });
const SENT = bytesToHex(keccak256(SENT_BYTES));
/** Number of the transaction's block. */
const PLACE = 20;

/** A chain with a block that has the transaction only; with 'none' the transaction is pending. */
class MinedChain extends ScriptedChain {
  readonly #place: number | 'none';

  constructor(length: number, place: number | 'none' = PLACE, script: Partial<ChainScript> = {}) {
    super({ length, transactions: (number) => (number === place ? 1 : 0), ...script });
    this.#place = place;
  }

  override transactionHash(number: number, index: number): string {
    return number === this.#place ? SENT : super.transactionHash(number, index);
  }

  override answer(method: string, params: readonly unknown[]): unknown {
    const place = this.#place;
    const isMined = place !== 'none' && place <= this.height;
    if (params[0] === SENT && method === 'eth_getTransactionReceipt')
      return isMined ? this.receiptObject(place, 0) : null;
    if (params[0] === SENT && method === 'eth_getTransactionByHash')
      return isMined ? this.transactionObject(place, 0) : { hash: SENT, blockHash: null };
    return method === 'eth_sendRawTransaction' ? SENT : super.answer(method, params);
  }
}

/** The chain before the transaction's block, with that block, and a longer one that a reorg left without the transaction. */
const BEFORE = new MinedChain(PLACE);
const WITH = new MinedChain(PLACE + 1);
const REORGED = new MinedChain(PLACE + 3, 'none', { salt: 1, forkedFrom: PLACE });

const scopeOf = (owner: string, deadline?: number): RequestScope => {
  const scope = deadline === undefined ? createScope() : new RequestScope(deadline);
  scope.owner = owner;
  return scope;
};

const openAt = (chain: ScriptedChain, script: NetworkScript): ScriptedNetwork =>
  createNetwork(chain, script, [createNode(chain.behaviour())]);

const getReceipt = (network: ScriptedNetwork, owner = 'one'): Promise<unknown> =>
  network.chain.transactions
    .getReceipt(SENT, scopeOf(owner))
    .then((text) => JSON.parse((text as string | null) ?? 'null'));

const getBlockHash = async (network: ScriptedNetwork): Promise<unknown> => {
  const text = await network.chain.transactions.getTransaction({ hash: SENT }, scopeOf('one'));
  return JSON.parse((text as string | null) ?? 'null').blockHash;
};

/**
 * Two processes that share records. One has sent the transaction, and served its receipt from a block that the other does not have;
 * `refresh` runs when the other one requests the heads of its nodes.
 */
async function createPair(refresh: (behind: ScriptedNetwork) => void, options: Partial<PoolOptions> = {}) {
  const records = new MemoryRecords();
  const ahead = openAt(BEFORE, { records });
  let isPresent = false;
  const behind: ScriptedNetwork = openAt(BEFORE, {
    records,
    options,
    refreshHeads: async () => {
      if (isPresent) refresh(behind);
    },
  });
  await ahead.chain.transactions.send(SENT_BYTES, scopeOf('one'));
  assert.equal(await getReceipt(behind), null);
  ahead.switchTo(WITH);
  assert.deepEqual(await getReceipt(ahead), WITH.receiptObject(PLACE, 0));
  isPresent = true;
  return { ahead, behind, records };
}

const isUnavailable = (error: unknown): boolean => {
  assert(error instanceof ChainError);
  assert.equal(error.kind, 'unavailable');
  return true;
};

describe('a receipt that another process has returned', () => {
  it('is returned at once if nodes have its block, and only the heads were old', async () => {
    const { behind } = await createPair((network) => network.switchTo(WITH));
    assert.deepEqual(await getReceipt(behind), WITH.receiptObject(PLACE, 0));
  });

  it('is requested again after a refresh of old heads, before a null for a transaction that no process has seen in a block', async () => {
    let refreshes = 0;
    const network: ScriptedNetwork = openAt(BEFORE, {
      records: new MemoryRecords(),
      refreshHeads: async () => {
        if (++refreshes === 2) network.switchTo(WITH);
      },
    });
    assert.equal(await getReceipt(network), null);
    assert.equal(refreshes, 0);
    await network.chain.transactions.send(SENT_BYTES, scopeOf('one'));
    assert.equal(await getReceipt(network), null);
    assert.deepEqual(await getReceipt(network), WITH.receiptObject(PLACE, 0));
    assert.equal(await getReceipt(network, 'other').then(() => refreshes), 2);
  });

  it('shows the block of its transaction too', async () => {
    const { behind } = await createPair((network) => network.switchTo(WITH));
    assert.equal(await getBlockHash(behind), WITH.hashOf(PLACE));
  });

  it('is waited for until a new head has its block', async () => {
    let refreshes = 0;
    const { behind } = await createPair(() => void refreshes++);
    const answer = getReceipt(behind);
    setTimeout(() => behind.switchTo(WITH), 50);
    assert.deepEqual(await answer, WITH.receiptObject(PLACE, 0));
    assert.notEqual(refreshes, 0);
  });

  it('is an error, not null, if the block does not come in time', async () => {
    const { behind } = await createPair(() => {});
    const scope = scopeOf('one', performance.now() + 300);
    await assert.rejects(behind.chain.transactions.getReceipt(SENT, scope), isUnavailable);
  });

  it('is an error when the client cancels', async () => {
    const { behind } = await createPair(() => {});
    const scope = scopeOf('one');
    const answer = behind.chain.transactions.getReceipt(SENT, scope);
    setTimeout(() => scope.abort(), 20);
    await assert.rejects(answer, isUnavailable);
  });

  it('is an error, not null, if nodes that have the block do not find it', async () => {
    const { behind } = await createPair((network) => network.moveHead(WITH));
    await assert.rejects(getReceipt(behind), isUnavailable);
  });

  it('is null if another block has its place', async () => {
    const { behind } = await createPair((network) => network.switchTo(REORGED));
    assert.equal(await getReceipt(behind), null);
    assert.equal(await getBlockHash(behind), null);
  });

  it('is null for all processes once its block has left the chain', async () => {
    const { ahead, behind } = await createPair(() => {});
    ahead.switchTo(REORGED);
    assert.equal(await getReceipt(ahead), null);
    assert.equal(await getReceipt(behind), null);
  });

  it('is replaced when it is returned again from another block', async () => {
    const { ahead, behind } = await createPair((network) => network.switchTo(moved));
    const moved = new MinedChain(PLACE + 3, PLACE + 1, { salt: 1, forkedFrom: PLACE });
    ahead.switchTo(moved);
    assert.deepEqual(await getReceipt(ahead), moved.receiptObject(PLACE + 1, 0));
    assert.deepEqual(await getReceipt(behind), moved.receiptObject(PLACE + 1, 0));
  });

  it('is known from a process that has neither sent the transaction nor had a request for it before', async () => {
    const records = new MemoryRecords();
    const sender = openAt(BEFORE, { records });
    const giver = openAt(BEFORE, { records });
    const behind = openAt(BEFORE, { records, refreshHeads: async () => behind.switchTo(WITH) });
    // A key's lookups before it sends have no effect on later blocks.
    const other = await giver.chain.transactions.getReceipt(`0x${'11'.repeat(32)}`, scopeOf('one'));
    assert.equal(other, null);
    await sender.chain.transactions.send(SENT_BYTES, scopeOf('one'));
    giver.switchTo(WITH);
    assert.notEqual(await getReceipt(giver), null);
    assert.notEqual(await getReceipt(behind), null);
  });

  it('remains known when the same bytes are sent again', async () => {
    const { ahead, behind } = await createPair((network) => network.switchTo(WITH));
    await ahead.chain.transactions.send(SENT_BYTES, scopeOf('one'));
    assert.notEqual(await getReceipt(behind), null);
  });

  it('is not recorded on a development network, whose node may be reset', async () => {
    const { behind } = await createPair(() => assert.fail('heads were asked for'), { development: true });
    assert.equal(await getReceipt(behind), null);
  });

  it('has no effect on other keys', async () => {
    const { behind } = await createPair(() => assert.fail('heads were asked for'));
    assert.equal(await getReceipt(behind, 'two'), null);
  });

  it('is null if the records fail', async () => {
    const { behind, records } = await createPair(() => assert.fail('heads were asked for'));
    records.read = () => Promise.reject(new Error('away'));
    assert.equal(await getReceipt(behind), null);
  });
});

describe('the block of a returned receipt', () => {
  it('is written once', async () => {
    const { ahead, records } = await createPair(() => {});
    assert.equal(records.requested.filter((row) => row.startsWith('replace sent/')).length, 1);
    const { length } = records.requested;
    for (let i = 0; i < 5; i++) assert.notEqual(await getReceipt(ahead), null);
    assert.equal(records.requested.length, length);
  });

  it('is looked up at most once per block for a key that sends nothing, and not for old blocks', async () => {
    const records = new MemoryRecords();
    const chain = new ScriptedChain({ length: 300, transactions: () => 2 });
    const behaviour: Behaviour = chain.behaviour();
    const network = createNetwork(chain, { records }, [createNode(behaviour)]);
    const ask = (number: number, index: number): Promise<unknown> =>
      network.chain.transactions.getReceipt(chain.transactionHash(number, index), scopeOf('reader'));
    for (let number = 100; number < 110; number++) assert.notEqual(await ask(number, 0), null);
    assert.deepEqual(records.requested, []);
    for (let number = 290; number < 300; number++) assert.notEqual(await ask(number, 1), null);
    assert.deepEqual(records.requested, ['read senders/reader/1..']);
    network.switchTo(new ScriptedChain({ length: 301, transactions: () => 2 }));
    for (let number = 290; number < 300; number++) assert.notEqual(await ask(number, 1), null);
    assert.equal(records.requested.length, 2);
  });
});
