/** `eth_subscribe ["transactionReceipts"]`: once per block and in order, despite temporary read failures; nothing for orphaned blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { ReceiptNotifications } from '../../src/methods/subscriptions/receipt-notifications.ts';
import type { Subscription } from '../../src/rpc/notifier.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hashOf, makeStep } from '../support/fake-feed.ts';

const nameOf = (block: number, index: number): string => hashOf(block * 1_000 + index);
const receiptOf = (block: number, index: number): string =>
  `{"transactionHash":"${nameOf(block, index)}","blockHash": "${hashOf(block)}"}`;

class Scene {
  /** Number of transactions by block number. */
  readonly counts: Map<number, number> = new Map();
  readonly failing: Set<number> = new Set();
  readonly requested: string[] = [];
  readonly sent: unknown[] = [];
  readonly noticed: (number | undefined)[] = [];
  readonly clock: FakeClock = new FakeClock();
  failed: string | undefined;
  /** Block number that a transaction's receipt reports instead of its own. */
  misplaced: number | undefined;
  readonly chain: ReturnType<typeof createFakeChain> = createFakeChain({
    blocks: {
      getReceipts: async (block) => {
        const number = this.#find('receipts', block);
        return number === undefined
          ? null
          : `[${this.#list(number)
              .map((_, i) => receiptOf(number, i))
              .join(',')}]`;
      },
      getBlock: async (block) => {
        const number = this.#find('block', block);
        return number === undefined ? null : JSON.stringify({ transactions: this.#list(number) });
      },
    },
    transactions: {
      getReceipt: async (hash) => {
        this.requested.push('receipt');
        const place = Number(BigInt(hash));
        return receiptOf(Math.floor(place / 1_000), place % 1_000).replace(
          ...(this.misplaced === undefined
            ? (['', ''] as const)
            : ([hashOf(Math.floor(place / 1_000)), hashOf(this.misplaced)] as const)),
        );
      },
    },
  });

  open(hashes: readonly string[] = []): ReceiptNotifications {
    const subscription: Subscription = {
      id: '0x1',
      waitForRoom: () => undefined,
      notify: (results, noticedAt) => {
        this.noticed.push(noticedAt);
        this.sent.push(...results.map((result) => JSON.parse(result)));
      },
      fail: (reason) => {
        this.failed = reason;
      },
    };
    return new ReceiptNotifications(subscription, {
      chain: this.chain,
      hashes,
      owner: 'one',
      clock: this.clock,
    });
  }

  /** [block, index] of each receipt of each notification. */
  get places(): (readonly [number, number])[][] {
    return (this.sent as { transactionHash: string }[][]).map((list) =>
      list.map(({ transactionHash }) => {
        const place = Number(BigInt(transactionHash));
        return [Math.floor(place / 1_000), place % 1_000] as const;
      }),
    );
  }

  #find(what: string, block: unknown): number | undefined {
    this.requested.push(what);
    const number = Number(BigInt((block as { hash: string }).hash));
    if (this.failing.has(number)) throw new ChainError('unavailable', 'no node');
    return this.counts.has(number) ? number : undefined;
  }

  #list(number: number): readonly string[] {
    return Array.from({ length: this.counts.get(number) ?? 0 }, (_, i) => nameOf(number, i));
  }
}

test('the receipts of each added block are sent as one list, in order; empty and removed blocks send nothing', async () => {
  const scene = new Scene();
  scene.counts.set(1, 2).set(2, 0).set(3, 1);
  const receipts = scene.open();
  receipts.take(makeStep('added', 1), 7);
  receipts.take(makeStep('added', 2));
  receipts.take(makeStep('added', 3));
  await scene.clock.advance(0);
  receipts.take(makeStep('removed', 3));
  receipts.take(makeStep('added', 3));
  await scene.clock.advance(0);
  assert.deepEqual(scene.places, [
    [
      [1, 0],
      [1, 1],
    ],
    [[3, 0]],
    [[3, 0]],
  ]);
  assert.deepEqual(scene.noticed, [7, undefined, undefined]);
});

test('a block is read once for all subscriptions', async () => {
  const scene = new Scene();
  scene.counts.set(1, 2);
  const all = Array.from({ length: 100 }, () => scene.open());
  for (const receipts of all) receipts.take(makeStep('added', 1));
  await scene.clock.advance(0);
  assert.equal(scene.sent.length, 100);
  assert.deepEqual(scene.requested, ['receipts']);
});

test('with hashes, only their receipts are requested, and only if a block contains them', async () => {
  const scene = new Scene();
  scene.counts.set(1, 5).set(2, 5).set(3, 5);
  const receipts = scene.open([nameOf(3, 4), nameOf(1, 1), nameOf(1, 3), nameOf(9, 9)]);
  for (const number of [1, 2, 3]) receipts.take(makeStep('added', number));
  await scene.clock.advance(0);
  assert.deepEqual(scene.places, [
    [
      [1, 1],
      [1, 3],
    ],
    [[3, 4]],
  ]);
  assert.deepEqual(scene.requested, ['block', 'receipt', 'receipt', 'block', 'block', 'receipt']);
});

test('a receipt of another block is not sent, and is read again', async () => {
  const scene = new Scene();
  scene.counts.set(1, 1);
  scene.misplaced = 5;
  const receipts = scene.open([nameOf(1, 0)]);
  receipts.take(makeStep('added', 1));
  await scene.clock.advance(0);
  assert.deepEqual(scene.sent, []);
  scene.misplaced = undefined;
  await scene.clock.advance(1_000);
  assert.deepEqual(scene.places, [[[1, 0]]]);
});

test('a failed read is retried while later blocks wait; a block removed meanwhile is not sent', async () => {
  const scene = new Scene();
  scene.counts.set(1, 1).set(2, 1).set(3, 1);
  scene.failing.add(1);
  const receipts = scene.open();
  for (const number of [1, 2]) receipts.take(makeStep('added', number));
  await scene.clock.advance(10_000);
  assert.deepEqual(scene.sent, []);
  scene.failing.clear();
  await scene.clock.advance(2_500);
  assert.deepEqual(scene.places, [[[1, 0]], [[2, 0]]]);
  scene.failing.add(3);
  receipts.take(makeStep('added', 3));
  await scene.clock.advance(1_000);
  receipts.take(makeStep('removed', 3));
  scene.counts.set(4, 1);
  receipts.take(makeStep('added', 4));
  await scene.clock.advance(0);
  assert.deepEqual(scene.places.slice(2), [[[4, 0]]]);
  assert.equal(scene.clock.pending, 0);
});

test('a backlog of more than 256 blocks fails the subscription; after that no request is sent', async () => {
  const scene = new Scene();
  scene.failing.add(1);
  const receipts = scene.open();
  for (let number = 1; number <= 256; number++) receipts.take(makeStep('added', number));
  assert.equal(scene.failed, undefined);
  receipts.take(makeStep('added', 257));
  assert.match(scene.failed ?? '', /without a gap/);
  await scene.clock.advance(60_000);
  const requested = scene.requested.length;
  await scene.clock.advance(60_000);
  assert.equal(scene.requested.length, requested);
  assert.equal(scene.clock.pending, 0);
  assert.deepEqual(scene.sent, []);
});
