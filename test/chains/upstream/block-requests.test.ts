import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { findMerge } from '../../../src/chains/upstream/find-merge.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { makeHash, ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, nodeError } from '../../pool/support/scripted-node.ts';
import { createStream, readAll } from '../../pool/support/scripted-stream.ts';

const FULL = 5;
const chain = new ScriptedChain({
  length: 20,
  transactions: (number) => (number === FULL ? 3 : 0),
  uncles: (number) => (number < 10 ? 2 : 0),
  mergedFrom: 10,
});

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PENDING: BlockReference = { kind: 'tag', tag: 'pending' };
const at = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
const hashed = (hash: string): BlockReference => ({ kind: 'hash', hash, requireCanonical: false });

const UNCLE = 'eth_getUncleByBlockNumberAndIndex';
const TRANSACTION = 'eth_getTransactionByBlockNumberAndIndex';
const RECEIPTS = 'eth_getBlockReceipts';

/** The chain's behaviour, except for one method. */
const but =
  (method: string, behaviour: Behaviour, of: ScriptedChain = chain): Behaviour =>
  (call, options) =>
    call.method === method ? behaviour(call, options) : of.behaviour()(call, options);

const network = (...behaviours: readonly Behaviour[]): ReturnType<typeof createNetwork> =>
  createNetwork(
    chain,
    {},
    behaviours.map((behaviour, tier) => createNode({ behaviour, tier })),
  );

describe('answers without requests', () => {
  it('are null for a block above the head', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (const block of [at(20), at(1_000_000)]) {
      assert.equal(await served.blocks.getReceipts(block, createScope()), null);
      assert.equal(
        await served.transactions.getTransaction({ block: block, index: 0n }, createScope()),
        null,
      );
      assert.equal(await served.blocks.getUncle(block, 0n, createScope()), null);
      assert.equal(await served.blocks.getHeader(block, createScope()), null);
    }
    assert.deepEqual(requested(), []);
  });

  it('are null for an index past the end, once the block is known', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (const index of [3n, 4n, 2n ** 63n]) {
      assert.equal(
        await served.transactions.getTransaction({ block: at(FULL), index: index }, createScope()),
        null,
      );
      assert.equal(await served.blocks.getUncle(at(FULL), index, createScope()), null);
    }
    assert.deepEqual(requested(), [`eth_getBlockByNumber ["0x${FULL}",false]`]);
  });

  it('have no receipts for a block without transactions, whatever nodes return', async () => {
    const { chain: served, requested } = createNetwork(chain);
    assert.equal(await served.blocks.getReceipts(at(6), createScope()), '[]');
    assert.equal(requested().length, 1);
  });

  it('are null for an uncle after the merge', async () => {
    const { chain: served, requested, directory } = createNetwork(chain);
    assert.equal(await served.blocks.getUncle(LATEST, 0n, createScope()), null);
    assert.deepEqual(requested(), []);
    await findMerge(directory, 19n, createScope());
    const before = requested().length;
    for (let number = 10; number < 20; number++) {
      assert.equal(await served.blocks.getUncle(at(number), 0n, createScope()), null);
    }
    assert.equal(requested().length, before);
    const uncle = await served.blocks.getUncle(at(9), 1n, createScope());
    assert.deepEqual(JSON.parse(uncle as string), { hash: chain.block(9).uncleHashes[1], uncles: [] });
    assert.deepEqual(requested().slice(before).at(-1), `${UNCLE} ["0x9","0x1"]`);
  });

  it('are null for an uncle of the pending block', async () => {
    const { chain: served, requested } = createNetwork(chain);
    assert.equal(await served.blocks.getUncle(PENDING, 0n, createScope()), null);
    assert.deepEqual(requested(), []);
  });

  it('have the header of the head', async () => {
    const { chain: served, requested } = createNetwork(chain);
    const header = await served.blocks.getHeader(LATEST, createScope());
    assert.equal(header?.number, 19n);
    assert.equal(header?.hash, chain.hashOf(19));
    assert.deepEqual(requested(), []);
  });

  it('have the header of the finalized block, by tag, number and hash', async () => {
    const { chain: served, requested, switchTo } = createNetwork(chain);
    switchTo(chain, { finalized: chain.block(3) });
    const tag: BlockReference = { kind: 'tag', tag: 'finalized' };
    for (const block of [tag, at(3)]) {
      assert.equal((await served.blocks.getHeader(block, createScope()))?.hash, chain.hashOf(3));
    }
    assert.deepEqual(requested(), []);
    const byHash: BlockReference = { kind: 'hash', hash: chain.hashOf(3), requireCanonical: true };
    await served.execution.call({ call: {}, block: byHash }, createScope());
    assert.deepEqual(
      requested().map((call) => call.split(' ')[0]),
      ['eth_call'],
    );
  });
});

describe('answers of nodes', () => {
  it('have the transactions and receipts of the block', async () => {
    const { chain: served } = createNetwork(chain);
    const transaction = await served.transactions.getTransaction(
      { block: at(FULL), index: 2n },
      createScope(),
    );
    assert.deepEqual(JSON.parse(transaction as string), chain.transactionObject(FULL, 2));
    assert.equal(await served.blocks.getReceipts(at(FULL), createScope()), chain.receipts(FULL));
  });

  it('are shared by tag, number and hash, and requested once', async () => {
    const full = new ScriptedChain({ length: 8, transactions: () => 2 });
    const { chain: served, requested } = createNetwork(full);
    const names = [LATEST, at(7), hashed(full.hashOf(7))];
    for (const block of [...names, ...names]) {
      assert.equal(await served.blocks.getReceipts(block, createScope()), full.receipts(7));
      await served.transactions.getTransaction({ block: block, index: 1n }, createScope());
    }
    assert.deepEqual(requested(), [
      'eth_getBlockByNumber ["0x7",false]',
      `${RECEIPTS} ["0x7"]`,
      `${TRANSACTION} ["0x7","0x1"]`,
    ]);
  });

  it('are requested again after a reorg', async () => {
    const before = new ScriptedChain({ length: 8, transactions: () => 2 });
    const after = new ScriptedChain({ length: 9, transactions: () => 2, salt: 1, forkedFrom: 6 });
    const { chain: served, switchTo } = createNetwork(before);
    assert.equal(await served.blocks.getReceipts(at(7), createScope()), before.receipts(7));
    switchTo(after);
    assert.equal(await served.blocks.getReceipts(at(7), createScope()), after.receipts(7));
    assert.equal(await served.blocks.getReceipts(LATEST, createScope()), after.receipts(8));
  });

  it('are refused if null or of another object, and taken from the next node', async () => {
    const uncle = JSON.stringify({ hash: makeHash(9, 9, 9), uncles: [] });
    const lies: readonly (readonly [string, string])[] = [
      [RECEIPTS, 'null'],
      [RECEIPTS, '[]'],
      [RECEIPTS, chain.receipts(6)],
      [TRANSACTION, 'null'],
      [TRANSACTION, JSON.stringify(chain.transactionObject(FULL, 1))],
      [TRANSACTION, '{}'],
      [UNCLE, 'null'],
      [UNCLE, uncle],
    ];
    for (const [method, lie] of lies) {
      const { chain: served } = network(but(method, answer(lie)), chain.behaviour());
      const scope = createScope();
      assert.equal(await served.blocks.getReceipts(at(FULL), scope), chain.receipts(FULL), method);
      const transaction = await served.transactions.getTransaction({ block: at(FULL), index: 0n }, scope);
      assert.deepEqual(JSON.parse(transaction as string), chain.transactionObject(FULL, 0));
      assert.notEqual(await served.blocks.getUncle(at(FULL), 0n, scope), null);
    }
  });

  it('are an error if all nodes lie, never a wrong answer', async () => {
    for (const lie of ['null', '[]', chain.receipts(6), '{}', '"0x"']) {
      const { chain: served } = network(but(RECEIPTS, answer(lie)), but(RECEIPTS, answer(lie)));
      await assert.rejects(async () => served.blocks.getReceipts(at(FULL), createScope()), {
        name: 'ChainError',
      });
    }
  });

  it('are null for a block that two nodes deny', async () => {
    const denies = but('eth_getBlockByNumber', answer('null'));
    const two = network(denies, denies).chain;
    assert.equal(await two.blocks.getReceipts(at(FULL), createScope()), null);
    await assert.rejects(async () => network(denies).chain.blocks.getReceipts(at(FULL), createScope()), {
      kind: 'failed',
    });
    assert.equal(
      await network(denies, chain.behaviour()).chain.blocks.getReceipts(at(FULL), createScope()),
      chain.receipts(FULL),
    );
  });

  it('are checked: large transactions after buffering, large receipts while they are streamed', async () => {
    const text = JSON.stringify({ ...chain.transactionObject(FULL, 0), input: `0x${'ab'.repeat(2_000)}` });
    const { chain: served } = network(
      but(TRANSACTION, async () => ({ kind: 'result', result: createStream(text) })),
    );
    assert.equal(
      await served.transactions.getTransaction({ block: at(FULL), index: 0n }, createScope()),
      text,
    );
    const streaming = (receipts: string): Behaviour =>
      but(RECEIPTS, async () => ({ kind: 'result', result: createStream(receipts) }));
    const right = await network(streaming(chain.receipts(FULL))).chain.blocks.getReceipts(
      at(FULL),
      createScope(),
    );
    assert.ok(right !== null && typeof right !== 'string');
    assert.equal(await readAll(right), chain.receipts(FULL));
    const wrong = await network(
      streaming(chain.receipts(FULL).replaceAll(chain.hashOf(FULL), chain.hashOf(6))),
    ).chain.blocks.getReceipts(at(FULL), createScope());
    assert.ok(wrong !== null);
    await assert.rejects(readAll(wrong), { kind: 'unavailable' });
  });
});

describe('block objects', () => {
  const object = (number: number): string => JSON.stringify(chain.blockObject(number));
  const finalizedTag: BlockReference = { kind: 'tag', tag: 'finalized' };

  it('are cached for all names of a block', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (const name of [LATEST, at(19), hashed(chain.hashOf(19)), LATEST]) {
      assert.equal(await served.blocks.getBlock(name, false, createScope()), object(19));
    }
    assert.deepEqual(requested(), ['eth_getBlockByNumber ["0x13",false]']);
    await served.blocks.getBlock(LATEST, true, createScope());
    assert.deepEqual(requested().slice(1), ['eth_getBlockByNumber ["0x13",true]']);
  });

  it('are null above the head, for an unknown tag, and for a hash that two nodes deny', async () => {
    const { chain: served } = network(chain.behaviour(), chain.behaviour());
    for (const name of [at(20), finalizedTag, hashed(makeHash(9, 9, 9))]) {
      assert.equal(await served.blocks.getBlock(name, false, createScope()), null);
      assert.equal(await served.blocks.getHeaderObject(name, createScope()), null);
      assert.equal(await served.blocks.countTransactions(name, createScope()), null);
      assert.equal(await served.blocks.countUncles(name, createScope()), null);
    }
  });

  it('are refused if of another block, and full ones if with other transactions', async () => {
    const wrong = JSON.stringify({ ...chain.blockObject(FULL), transactions: [] });
    for (const lie of [object(6), wrong, '{}', '[]']) {
      const lies: Behaviour = (call, options) =>
        call.params.endsWith('true]') ? answer(lie)(call, options) : chain.behaviour()(call, options);
      for (const name of [at(FULL), hashed(chain.hashOf(FULL))]) {
        const { chain: served } = network(lies, chain.behaviour());
        await served.blocks.getReceipts(at(FULL), createScope());
        assert.equal(await served.blocks.getBlock(name, true, createScope()), object(FULL));
        const alone = network(lies).chain;
        await alone.blocks.getReceipts(at(FULL), createScope());
        await assert.rejects(async () => alone.blocks.getBlock(name, true, createScope()), {
          kind: 'unavailable',
        });
      }
    }
  });

  it('of many bytes are checked while they are streamed', async () => {
    const long = (number: number): string =>
      JSON.stringify({ ...chain.blockObject(number), extra: 'x'.repeat(2_000) });
    const streaming = (text: string): Behaviour =>
      but('eth_getBlockByNumber', async () => ({ kind: 'result', result: createStream(text) }));
    const ask = async (text: string): Promise<string> => {
      const options = { streamBytes: 64 };
      const { chain: served } = createNetwork(chain, { options }, [createNode(streaming(text))]);
      const block = await served.blocks.getBlock(at(19), true, createScope());
      assert.ok(block !== null && typeof block !== 'string');
      return readAll(block);
    };
    assert.equal(await ask(long(19)), long(19));
    await assert.rejects(ask(long(6)), { kind: 'unavailable' });
  });

  it('of pending come from one node, and are not cached', async () => {
    const { chain: served, requested } = network(but('eth_getBlockByNumber', answer('{"hash":null}')));
    for (let i = 0; i < 2; i++) {
      assert.equal(await served.blocks.getBlock(PENDING, true, createScope()), '{"hash":null}');
    }
    assert.deepEqual(requested(), Array(2).fill('eth_getBlockByNumber ["pending",true]'));
    assert.equal(await served.blocks.getHeaderObject(PENDING, createScope()), null);
    assert.equal(await served.blocks.countUncles(PENDING, createScope()), '"0x0"');
    assert.equal(requested().length, 2);
  });

  it('without their bodies serve as headers, without further requests', async () => {
    const { chain: served, requested } = createNetwork(chain);
    const { transactions: _, uncles: __, ...header } = chain.blockObject(FULL);
    for (const name of [at(FULL), hashed(chain.hashOf(FULL))]) {
      const told = await served.blocks.getHeaderObject(name, createScope());
      assert.deepEqual(JSON.parse(told as string), header);
    }
    await served.blocks.getBlock(at(FULL), false, createScope());
    assert.deepEqual(requested(), ['eth_getBlockByNumber ["0x5",false]']);
  });

  it('have the numbers of transactions and uncles', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (const name of [at(FULL), hashed(chain.hashOf(FULL))]) {
      assert.equal(await served.blocks.countTransactions(name, createScope()), '"0x3"');
      assert.equal(await served.blocks.countUncles(name, createScope()), '"0x2"');
    }
    assert.equal(requested().length, 1);
    const pending = but('eth_getBlockTransactionCountByNumber', answer('"0x7"'));
    assert.equal(await network(pending).chain.blocks.countTransactions(PENDING, createScope()), '"0x7"');
  });
});

describe('a block that is not canonical', () => {
  const fork = new ScriptedChain({
    length: 20,
    transactions: () => 2,
    uncles: () => 1,
    mergedFrom: 100,
    salt: 3,
    forkedFrom: 15,
  });
  const own = new ScriptedChain({ length: 20, transactions: () => 2, uncles: () => 1, mergedFrom: 100 });
  /** A node that also knows the fork's blocks by hash. */
  const both: Behaviour = ({ method, params }) => {
    const values = JSON.parse(params) as unknown[];
    const text = String(Object(values[0])['blockHash'] ?? values[0]);
    const source = text === fork.hashOf(17) ? fork : own;
    return { kind: 'result', result: JSON.stringify(source.answer(method, values) ?? null) };
  };
  const name = hashed(fork.hashOf(17));

  it('is requested by its hash', async () => {
    const { chain: served, requested } = createNetwork(own, {}, [createNode(both)]);
    const scope = createScope();
    const block = await served.blocks.getBlock(name, false, scope);
    assert.deepEqual(JSON.parse(block as string), fork.blockObject(17));
    const transaction = await served.transactions.getTransaction({ block: name, index: 1n }, scope);
    assert.deepEqual(JSON.parse(transaction as string), fork.transactionObject(17, 1));
    assert.notEqual(await served.blocks.getUncle(name, 0n, scope), null);
    assert.equal(await served.blocks.countTransactions(name, scope), '"0x2"');
    for (const call of requested()) assert.doesNotMatch(call, /0x11/);
  });
});

describe('receipts without eth_getBlockReceipts', () => {
  const lacks = but(RECEIPTS, nodeError(-32601, 'the method does not exist'));

  it('are composed of single receipts, also of more than a hundred', async () => {
    const big = new ScriptedChain({ length: 4, transactions: () => 250 });
    const { chain: served, node } = createNetwork(big, {}, [
      createNode(but(RECEIPTS, nodeError(-32601, 'the method does not exist'), big)),
    ]);
    assert.equal(await served.blocks.getReceipts(at(3), createScope()), big.receipts(3));
    const countReceipts = (): number =>
      node.requested.calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
    assert.equal(countReceipts(), 250);
    const cached = await served.blocks.getReceipts(hashed(big.hashOf(3)), createScope());
    assert.equal((cached as JsonBytes).text, big.receipts(3));
    assert.equal(countReceipts(), 250);
  });

  it('are composed by the node without the method if the node with it is down', async () => {
    const down: Behaviour = but(RECEIPTS, nodeError(-32000, 'header not found'));
    for (const behaviours of [
      [lacks, down],
      [down, lacks],
    ]) {
      const { chain: served } = network(...behaviours);
      assert.equal(await served.blocks.getReceipts(at(FULL), createScope()), chain.receipts(FULL));
    }
  });

  it('must be complete: a missing one is a fault', async () => {
    const hash = chain.transactionHash(FULL, 1);
    const incomplete: Behaviour = (call, options) =>
      call.params.includes(hash) ? answer('null')(call, options) : lacks(call, options);
    await assert.rejects(async () => network(incomplete).chain.blocks.getReceipts(at(FULL), createScope()), {
      name: 'ChainError',
    });
    assert.equal(
      await network(incomplete, lacks).chain.blocks.getReceipts(at(FULL), createScope()),
      chain.receipts(FULL),
    );
  });
});

describe('pending', () => {
  const pendingBlock = JSON.stringify({ number: '0x14', timestamp: '0x65', gasLimit: '0x5208' });

  it('is passed through, without check or cache', async () => {
    const { chain: served, requested } = network(
      but(TRANSACTION, answer('{"hash":null}'), chain),
      chain.behaviour(),
    );
    for (let i = 0; i < 2; i++) {
      const scope = createScope();
      assert.equal(
        await served.transactions.getTransaction({ block: PENDING, index: 0n }, scope),
        '{"hash":null}',
      );
    }
    assert.deepEqual(requested(), Array(2).fill(`${TRANSACTION} ["pending","0x0"]`));
  });

  it('may be null', async () => {
    const { chain: served } = network(answer('null'));
    assert.equal(
      await served.transactions.getTransaction({ block: PENDING, index: 0n }, createScope()),
      null,
    );
    assert.equal(await served.blocks.getReceipts(PENDING, createScope()), null);
    assert.equal(await served.blocks.getHeader(PENDING, createScope()), null);
  });

  it('has a header that may lack the hash, but not the fields for prices', async () => {
    const header = await network(answer(pendingBlock)).chain.blocks.getHeader(PENDING, createScope());
    assert.deepEqual(header, { number: 20n, timestamp: 101n, gasLimit: 21_000n, extraData: '0x' });
    await assert.rejects(
      async () => network(answer('{"number":"0x14"}')).chain.blocks.getHeader(PENDING, createScope()),
      {
        kind: 'unavailable',
      },
    );
  });
});
