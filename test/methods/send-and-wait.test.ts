/** eth_sendRawTransactionSync over a fake feed: events that end a wait, resources that a wait holds, and the search through blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { ethSendRawTransactionSync } from '../../src/methods/eth_sendRawTransactionSync.ts';
import { InclusionWatch } from '../../src/methods/inclusion-watch.ts';
import type { Network } from '../../src/methods/network.ts';
import { limitOf } from '../../src/util/bounds.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { makeTransaction } from '../support/bad-transactions.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { FakeFeed, FakeHeads, hashOf, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';

const RAW = bytesToHex(makeTransaction());
const HASH = `0x${'5'.repeat(64)}`;
const RECEIPT = `{"transactionHash":"${HASH}"}`;
const LONG = '0xea60';

class Scene {
  readonly feed: FakeFeed = new FakeFeed();
  readonly receipts: Map<string, string> = new Map();
  /** Transaction hashes by block hash; an error is thrown. */
  readonly lists: Map<string, readonly string[] | Error> = new Map();
  readonly requested: string[] = [];
  readonly sent: string[] = [];
  readonly slots: FairQueue = new FairQueue({ running: 4, waiting: 0, waitMs: 1_000 });
  refusal: ChainError | undefined;
  failure: ChainError | undefined;
  readonly network: Network;

  constructor(hasFeed = true) {
    const chain = createFakeChain({
      heads: new FakeHeads(100n),
      transactions: {
        send: async (bytes) => {
          if (this.refusal !== undefined) throw this.refusal;
          this.sent.push(bytesToHex(bytes));
          return `"${HASH}"`;
        },
        getReceipt: async (hash) => {
          this.requested.push('receipt');
          if (this.failure !== undefined) throw this.failure;
          return this.receipts.get(hash) ?? null;
        },
      },
      blocks: {
        getBlock: async (block) => {
          assert.ok(block.kind === 'hash');
          this.requested.push('block');
          const list = this.lists.get(block.hash) ?? null;
          if (list instanceof Error) throw list;
          return list === null ? null : JSON.stringify({ transactions: list });
        },
      },
    });
    const { feed, slots } = this;
    this.network = { ...createScriptedNetwork(chain), slots, ...(hasFeed && { feed }) };
  }

  get watch(): InclusionWatch {
    return InclusionWatch.of(this.network);
  }

  /** Sends like the gateway: takes a scheduler slot as soon as the call has to wait. */
  async send(timeout?: unknown, owner = 'one', scope = makeScope()): Promise<unknown> {
    scope.owner = owner;
    const params = timeout === undefined ? [RAW] : [RAW, timeout];
    const outcome = ethSendRawTransactionSync.invoke(params, {
      network: this.network,
      clientVersion: 'v',
      scope,
    });
    if (!(outcome instanceof Promise)) return JSON.parse(String(outcome));
    this.slots.take(owner);
    // A wait's timer does not keep the process alive.
    const alive = setInterval(() => {}, 1_000);
    try {
      return JSON.parse(String(await outcome));
    } finally {
      clearInterval(alive);
      this.slots.leave(owner);
    }
  }

  include(number: number, hashes: readonly string[] | Error): void {
    this.lists.set(hashOf(number), hashes);
    this.feed.send(makeStep('added', number));
  }

  waiting(): Promise<void> {
    return waitUntil(
      () => this.watch.isFollowing && this.requested.includes('receipt') && this.slots.running === 0,
    );
  }

  assertNothingLeft(): void {
    assert.equal(this.watch.size, 0);
    assert.equal(this.watch.places.used, 0);
    assert.equal(this.slots.running, 0);
    assert.equal(this.feed.joined.size, 0);
  }
}

const makeScope = (): RequestScope => new RequestScope(performance.now() + 120_000);

test('a transaction that is already in a block is answered at once', async () => {
  const scene = new Scene();
  scene.receipts.set(HASH, RECEIPT);
  assert.deepEqual(await scene.send(), { transactionHash: HASH });
  assert.deepEqual(scene.requested, ['receipt']);
  scene.assertNothingLeft();
});

test('the block with the transaction ends the wait; other blocks are searched without requesting receipts', async () => {
  const scene = new Scene();
  const answer = scene.send(LONG);
  await scene.waiting();
  scene.include(101, [hashOf(7)]);
  scene.include(102, []);
  await waitUntil(() => scene.requested.filter((requested) => requested === 'block').length === 2);
  scene.receipts.set(HASH, RECEIPT);
  scene.include(103, [hashOf(7), HASH.toUpperCase().replace('0X', '0x')]);
  assert.deepEqual(await answer, { transactionHash: HASH });
  assert.deepEqual(scene.requested, ['receipt', 'block', 'block', 'block', 'receipt']);
  scene.assertNothingLeft();
});

test('a block is searched once for all waiting calls, and the feed is joined once', async () => {
  const scene = new Scene();
  const answers = ['one', 'two', 'three', 'four'].map((owner) => scene.send(LONG, owner));
  await waitUntil(() => scene.requested.length === 4 && scene.watch.isFollowing && scene.slots.running === 0);
  assert.equal(scene.feed.joins.length, 1);
  scene.receipts.set(HASH, RECEIPT);
  scene.include(101, [HASH]);
  assert.deepEqual(await Promise.all(answers), Array(4).fill({ transactionHash: HASH }));
  assert.equal(scene.requested.filter((requested) => requested === 'block').length, 1);
  scene.assertNothingLeft();
});

test('a waiting call occupies no scheduler slot of its network', async () => {
  const scene = new Scene();
  const answers = Array.from({ length: 12 }, () => scene.send(LONG));
  await waitUntil(() => scene.requested.length === 12 && scene.slots.running === 0);
  assert.equal(scene.slots.hasRoom('one', 4), true);
  scene.receipts.set(HASH, RECEIPT);
  scene.include(101, [HASH]);
  await Promise.all(answers);
  scene.assertNothingLeft();
});

test('a timeout is reported with geth’s code and message, and the hash', async () => {
  for (const [timeout, words] of [
    [20, '20ms'],
    ['0x14', '20ms'],
  ] as const) {
    const scene = new Scene();
    await assert.rejects(scene.send(timeout), (error: Error & { row?: { code: number }; data?: unknown }) => {
      assert.equal(error.row?.code, 4);
      assert.equal(error.data, HASH);
      assert.equal(
        error.message,
        `The transaction was added to the transaction pool but wasn't processed in ${words}`,
      );
      return true;
    });
    scene.assertNothingLeft();
  }
});

test('the wait ends before the time limit of the body', async () => {
  const scene = new Scene();
  const scope = new RequestScope(performance.now() + 1_010);
  await assert.rejects(scene.send(LONG, 'one', scope), (error: Error & { data?: unknown }) => {
    assert.equal(error.data, HASH);
    assert.match(error.message, /in \d\d?ms$/);
    return true;
  });
  scene.assertNothingLeft();
});

test('a client that disconnects ends its own wait and no other', async () => {
  const scene = new Scene();
  const scope = makeScope();
  const answer = scene.send(LONG, 'one', scope);
  const other = scene.send(LONG, 'two');
  await waitUntil(() => scene.requested.length === 2 && scene.slots.running === 0);
  scope.abort();
  await assert.rejects(answer, { kind: 'aborted' });
  assert.equal(scene.watch.places.used, 1);
  scene.receipts.set(HASH, RECEIPT);
  scene.include(101, [HASH]);
  await other;
  scene.assertNothingLeft();
});

test('a refused transaction has the error of eth_sendRawTransaction, and does not wait', async () => {
  const scene = new Scene();
  scene.refusal = new ChainError('failed', 'nonce too low: next nonce 1, tx nonce 0');
  await assert.rejects(scene.send(), scene.refusal);
  assert.equal(scene.feed.joins.length, 0);
  scene.assertNothingLeft();
});

test('a call above the bound of waiting calls is refused before anything is sent, and another key has room', async () => {
  const scene = new Scene();
  const places = limitOf('sends.waiting') / 2;
  scene.watch.places.take('one', places);
  await assert.rejects(scene.send(LONG, 'one'), { rowName: 'busy', bound: 'sends.waiting' });
  assert.deepEqual(scene.sent, []);
  scene.receipts.set(HASH, RECEIPT);
  await scene.send(LONG, 'two');
  scene.watch.places.giveBack('one', places);
  scene.assertNothingLeft();
});

test('unavailable nodes do not end a wait: the receipt is requested again', async () => {
  const scene = new Scene();
  scene.failure = new ChainError('unavailable', 'no node');
  const answer = scene.send(LONG);
  await scene.waiting();
  scene.include(101, new ChainError('unavailable', 'no node'));
  await waitUntil(() => scene.requested.filter((requested) => requested === 'receipt').length === 2);
  scene.failure = undefined;
  scene.receipts.set(HASH, RECEIPT);
  assert.deepEqual(await answer, { transactionHash: HASH });
  scene.assertNothingLeft();
});

test('a call polls for the receipt if there is no feed, or the feed ends', async () => {
  for (const hasFeed of [false, true]) {
    const scene = new Scene(hasFeed);
    const answer = scene.send(LONG);
    await waitUntil(() => scene.requested.length > 0 && scene.slots.running === 0);
    if (hasFeed) scene.feed.fail('closed');
    scene.receipts.set(HASH, RECEIPT);
    assert.deepEqual(await answer, { transactionHash: HASH });
    assert.equal(scene.watch.size, 0);
    assert.equal(scene.watch.isFollowing, false);
  }
});

test('a timeout is a whole number or a quantity', async () => {
  for (const timeout of [-1, 1.5, 'soon', true, {}]) {
    const scene = new Scene();
    await assert.rejects(scene.send(timeout), { rowName: 'invalidParams' });
    assert.deepEqual(scene.sent, []);
  }
});
