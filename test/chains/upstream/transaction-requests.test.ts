import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { PIECE_LENGTH } from '../../../packages/ethereum/primitives/parse-json.ts';
import type { CacheKey } from '../../../src/cache/cache.ts';
import type { BlockRequests } from '../../../src/chains/upstream/block-requests.ts';
import { TransactionRequests } from '../../../src/chains/upstream/transaction-requests.ts';
import type { Proofs } from '../../../src/chains/upstream/verifying/proofs.ts';
import { ABSENCE_VERIFIED, type RequestContext } from '../../../src/pool/upstream-request.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 20, transactions: () => 3 });
const TRANSACTION = 'eth_getTransactionByHash';
const RECEIPT = 'eth_getTransactionReceipt';
const HASH = chain.transactionHash(7, 1);

const network = (...behaviours: readonly Behaviour[]): ScriptedNetwork =>
  createNetwork(
    chain,
    {},
    behaviours.map((behaviour, tier) => createNode({ behaviour, tier })),
  );

/** The chain's behaviour, except for one method. */
const but =
  (method: string, behaviour: Behaviour): Behaviour =>
  (call, options) =>
    call.method === method ? behaviour(call, options) : chain.behaviour()(call, options);

const parse = (text: unknown): unknown => JSON.parse(text as string);

describe('a transaction by its hash, and its receipt', () => {
  it('are compared with the block, which is requested once', async () => {
    const { chain: served, requested } = createNetwork(chain);
    const transaction = await served.transactions.getTransaction({ hash: HASH }, createScope());
    assert.deepEqual(parse(transaction), chain.transactionObject(7, 1));
    const receipt = await served.transactions.getReceipt(HASH, createScope());
    assert.deepEqual(parse(receipt), chain.receiptObject(7, 1));
    const block = 'eth_getBlockByNumber ["0x7",false]';
    assert.deepEqual(requested(), [`${TRANSACTION} ["${HASH}"]`, block, `${RECEIPT} ["${HASH}"]`]);
  });

  it('are cached under the hash of their block', async () => {
    const { chain: served, requested } = createNetwork(chain);
    for (let i = 0; i < 3; i++) {
      await served.transactions.getTransaction({ hash: HASH }, createScope());
      await served.transactions.getReceipt(HASH, createScope());
    }
    assert.equal(requested().length, 3);
  });

  it('are requested again after a reorg', async () => {
    const before = new ScriptedChain({ length: 8, transactions: () => 2 });
    const after = new ScriptedChain({
      length: 9,
      transactions: (n) => (n < 6 ? 2 : 0),
      salt: 1,
      forkedFrom: 6,
    });
    const { chain: served, switchTo } = createNetwork(before);
    const hash = before.transactionHash(7, 1);
    assert.notEqual(await served.transactions.getReceipt(hash, createScope()), null);
    switchTo(after);
    assert.equal(await served.transactions.getReceipt(hash, createScope()), null);
    assert.equal(await served.transactions.getTransaction({ hash }, createScope()), null);
  });

  it('are taken from the next node if one contradicts the block', async () => {
    const right = { transaction: chain.transactionObject(7, 1), receipt: chain.receiptObject(7, 1) };
    const lies: readonly Readonly<Record<string, unknown>>[] = [
      { blockHash: chain.hashOf(6) },
      { blockNumber: '0x6' },
      { blockNumber: '0x6', blockHash: chain.hashOf(6) },
      { transactionIndex: '0x0' },
      { transactionIndex: '0x3' },
      { transactionIndex: null },
      { blockNumber: 'seven' },
    ];
    for (const lie of lies) {
      const tells: Behaviour = (call, options) => {
        if (call.method === TRANSACTION)
          return answer(JSON.stringify({ ...right.transaction, ...lie }))(call, options);
        if (call.method === RECEIPT)
          return answer(JSON.stringify({ ...right.receipt, ...lie }))(call, options);
        return chain.behaviour()(call, options);
      };
      const both = network(tells, chain.behaviour());
      const transaction = await both.chain.transactions.getTransaction({ hash: HASH }, createScope());
      assert.deepEqual(parse(transaction), right.transaction, JSON.stringify(lie));
      assert.deepEqual(
        parse(await network(tells, chain.behaviour()).chain.transactions.getReceipt(HASH, createScope())),
        right.receipt,
      );
      assert.equal(both.node.upstream.faults.get('wrong'), 1, JSON.stringify(lie));
      const alone = network(tells).chain;
      await assert.rejects(alone.transactions.getReceipt(HASH, createScope()), { kind: 'unavailable' });
      await assert.rejects(alone.transactions.getTransaction({ hash: HASH }, createScope()), {
        kind: 'unavailable',
      });
    }
  });

  it('are refused if they are about another hash', async () => {
    const other = chain.transactionHash(7, 2);
    const tells = but(TRANSACTION, answer(JSON.stringify({ ...chain.transactionObject(7, 1), hash: other })));
    await assert.rejects(network(tells).chain.transactions.getTransaction({ hash: HASH }, createScope()), {
      kind: 'unavailable',
    });
  });

  it('are null if two nodes, or the only one, return null', async () => {
    const unknown = chain.transactionHash(40, 0);
    for (const [count, calls] of [
      [1, 1],
      [3, 2],
    ] as const) {
      const { chain: served, requested } = network(...Array.from({ length: count }, () => chain.behaviour()));
      assert.equal(await served.transactions.getTransaction({ hash: unknown }, createScope()), null);
      assert.equal(requested().length, calls);
      assert.equal(await served.transactions.getReceipt(unknown, createScope()), null);
    }
    const denies = but(TRANSACTION, answer('null'));
    const found = await network(denies, chain.behaviour()).chain.transactions.getTransaction(
      { hash: HASH },
      createScope(),
    );
    assert.deepEqual(parse(found), chain.transactionObject(7, 1));
  });

  it('are not requested from a node that has not seen the served head', async () => {
    const late = createNode({
      behaviour: but(RECEIPT, answer('null')),
      tier: 1,
      tracker: { holds: (number) => number < 19n },
    });
    const { chain: served } = createNetwork(chain, {}, [
      late,
      createNode({ behaviour: chain.behaviour(), tier: 2 }),
    ]);
    const hash = chain.transactionHash(19, 0);
    assert.deepEqual(
      parse(await served.transactions.getReceipt(hash, createScope())),
      chain.receiptObject(19, 0),
    );
    assert.deepEqual(late.requested.calls, []);
  });

  it('above the served head are pending, and without a receipt', async () => {
    const ahead = new ScriptedChain({ length: 30, transactions: () => 3 });
    const { chain: served } = network(ahead.behaviour());
    const hash = ahead.transactionHash(25, 2);
    const shown = await served.transactions.getTransaction({ hash }, createScope());
    assert.deepEqual(parse(shown), {
      ...ahead.transactionObject(25, 2),
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      gasPrice: '0x9',
    });
    assert.equal(await served.transactions.getReceipt(hash, createScope()), null);
  });

  it('are passed on unchanged while they are pending, and not cached', async () => {
    const text = JSON.stringify({ hash: HASH, blockHash: null, blockNumber: null, transactionIndex: null });
    const { chain: served, requested } = network(but(TRANSACTION, answer(text)));
    for (let i = 0; i < 2; i++) {
      assert.equal(await served.transactions.getTransaction({ hash: HASH }, createScope()), text);
    }
    assert.equal(requested().length, 2);
  });

  it('have no position while they are pending, whatever a node returns for it', async () => {
    const { blockHash: _, blockNumber: __, transactionIndex: ___, ...rest } = chain.transactionObject(7, 1);
    const noHash = `0x${'00'.repeat(32)}`;
    const places: readonly Readonly<Record<string, unknown>>[] = [
      { blockHash: noHash, blockNumber: null, transactionIndex: '0x0' },
      { blockHash: noHash, blockNumber: '0x0', transactionIndex: '0x0' },
      { blockHash: noHash },
      { blockHash: null, blockNumber: '0x0', transactionIndex: null },
      { blockHash: null, blockTimestamp: '0x0' },
      {},
    ];
    for (const place of places) {
      const waits = JSON.stringify({ ...rest, ...place });
      const served = network(but(TRANSACTION, answer(waits))).chain.transactions;
      const told = parse(await served.getTransaction({ hash: HASH }, createScope())) as object;
      assert.deepEqual(told, {
        ...rest,
        gasPrice: '0x9',
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
        ...('blockTimestamp' in place && { blockTimestamp: null }),
      });
      const early = network(but(RECEIPT, answer(JSON.stringify({ transactionHash: HASH, ...place }))));
      assert.equal(await early.chain.transactions.getReceipt(HASH, createScope()), null);
    }
  });
});

describe('a receipt that is taken from the receipts of its block', () => {
  const answerAll = async ({ call }: RequestContext): Promise<string> => {
    const { method, params } = call;
    return JSON.stringify(chain.answer(method, JSON.parse(params)));
  };

  /** Reads with verifiable receipts, where these are the block's receipts, and lists what is cached. */
  async function read(
    receipts: string,
    whyUnverifiable?: string,
  ): Promise<{ readonly receipt: Promise<unknown>; readonly cached: string[] }> {
    const { directory, resolver } = createNetwork(chain);
    const cached: string[] = [];
    const proofs = {
      absence: ABSENCE_VERIFIED,
      canVerify: (subject: string) => subject === 'receipts',
      keyPart: () => '',
      trust: { complete: () => undefined },
      verifier: { whyUnverifiable: () => whyUnverifiable },
    };
    const parts = {
      cacheScope: () => 'test',
      ask: answerAll,
      keep: ({ blockHash, request }: CacheKey) => void cached.push(`${blockHash} ${request}`),
      proofs: proofs as unknown as Proofs,
      resolver,
      directory,
    };
    const blocks = { getReceipts: async () => receipts } as unknown as BlockRequests;
    return { receipt: new TransactionRequests(parts, blocks).getReceipt(HASH, createScope()), cached };
  }

  it('is cached with the others of the block', async () => {
    const { receipt, cached } = await read(chain.receipts(7));
    assert.deepEqual(parse(await receipt), chain.receiptObject(7, 1));
    assert.equal(cached.filter((name) => name.includes(':receipt:')).length, 3);
  });

  it('is cut out of unverifiable receipts, and the others are neither parsed nor cached', async (t) => {
    const [first, ...others] = JSON.parse(chain.receipts(7)) as object[];
    const logs = `[${'0 ,'.repeat(100_000)}0]`;
    const hostile = `${JSON.stringify(first).slice(0, -1)},"logs":${logs}}`;
    const list = `[${hostile},${others.map((each) => JSON.stringify(each)).join(', ')}]`;
    const parsed = t.mock.method(JSON, 'parse');
    const { receipt, cached } = await read(list, 'there are other rules');
    const text = await receipt;
    const lengths = parsed.mock.calls.map(({ arguments: [each] }) => each.length);
    parsed.mock.restore();
    assert.deepEqual(parse(text), chain.receiptObject(7, 1));
    assert.ok(
      lengths.length < 1_000 && Math.max(...lengths) < PIECE_LENGTH,
      `${lengths.length} texts are parsed`,
    );
    assert.deepEqual(
      cached.filter((name) => name.includes(':receipt:')),
      [],
    );
  });

  it('with a repeated member name is rewritten', async () => {
    const { receipt } = await read(
      chain.receipts(7).replaceAll('"transactionHash"', '"twice":1,"twice":2,"transactionHash"'),
    );
    const text = String(await receipt);
    assert.ok(text.includes('"twice":2') && !text.includes('"twice":1'));
  });

  it('that is not among them is a fault of the node', async () => {
    for (const receipts of ['[]', '{}', `[${chain.receipts(7).slice(1, 10)}`]) {
      const { receipt } = await read(receipts);
      await assert.rejects(receipt, { kind: 'wrong' });
    }
  });

  it('is refused if another block with the same transactions has replaced its block meanwhile', async () => {
    const other = new ScriptedChain({ length: 20, salt: 1, forkedFrom: 7 });
    const receipts = chain.receipts(7).replaceAll(chain.hashOf(7), other.hashOf(7));
    const { receipt, cached } = await read(receipts);
    await assert.rejects(receipt, { kind: 'wrong' });
    assert.deepEqual(
      cached.filter((name) => name.includes(':receipt:')),
      [],
    );
  });
});

describe('the bytes of a transaction', () => {
  const BYTES = '0x02c0';
  const hash = bytesToHex(keccak256(hexToBytes(BYTES)));
  const RAW = 'eth_getRawTransactionByHash';
  const RAW_AT = 'eth_getRawTransactionByBlockNumberAndIndex';
  /** A chain with the transaction in block 7. */
  const listing =
    (...behaviours: readonly (readonly [string, Behaviour])[]): Behaviour =>
    (call, options) => {
      const own = behaviours.find(([method]) => method === call.method);
      if (own !== undefined) return own[1](call, options);
      if (!call.method.startsWith('eth_getBlockBy')) return chain.behaviour()(call, options);
      return answer(JSON.stringify({ ...chain.blockObject(7), transactions: [hash] }))(call, options);
    };
  const at = (index: bigint) => ({ block: { kind: 'number', number: 7n }, index }) as const;

  it('are the bytes that have its hash', async () => {
    const told = network(listing([RAW, answer(`"${BYTES}"`)], [RAW_AT, answer(`"${BYTES}"`)]));
    const { transactions } = told.chain;
    assert.equal(await transactions.getRawTransaction({ hash }, createScope()), `"${BYTES}"`);
    assert.equal(await transactions.getRawTransaction(at(0n), createScope()), `"${BYTES}"`);
    assert.equal(await transactions.getRawTransaction(at(1n), createScope()), null);
    assert.equal(told.requested().filter((call) => call.startsWith(RAW_AT)).length, 1);
  });

  it('of another transaction are a fault, and so are missing bytes if the block lists the transaction', async () => {
    for (const lie of ['"0x02c1"', '"0xc0"', '"0x2"', '7', '{}']) {
      const { transactions } = network(listing([RAW, answer(lie)], [RAW_AT, answer(lie)])).chain;
      await assert.rejects(transactions.getRawTransaction({ hash }, createScope()), { name: 'ChainError' });
      await assert.rejects(transactions.getRawTransaction(at(0n), createScope()), { name: 'ChainError' });
    }
    for (const nothing of ['"0x"', 'null']) {
      const { transactions } = network(listing([RAW, answer(nothing)], [RAW_AT, answer(nothing)])).chain;
      assert.equal(await transactions.getRawTransaction({ hash }, createScope()), null);
      await assert.rejects(transactions.getRawTransaction(at(0n), createScope()), { kind: 'failed' });
      const two = network(
        listing([RAW, answer(nothing)], [RAW_AT, answer(nothing)]),
        listing([RAW, answer(`"${BYTES}"`)], [RAW_AT, answer(`"${BYTES}"`)]),
      ).chain.transactions;
      assert.equal(await two.getRawTransaction({ hash }, createScope()), `"${BYTES}"`);
      assert.equal(await two.getRawTransaction(at(0n), createScope()), `"${BYTES}"`);
    }
  });
});
