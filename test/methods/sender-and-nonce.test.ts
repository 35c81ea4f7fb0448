/** eth_getTransactionBySenderAndNonce and eth_getAccountInfo over a fake chain: their requests, and the blocks that they search. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { ethGetAccountInfo } from '../../src/methods/eth_getAccountInfo.ts';
import { ethGetTransactionBySenderAndNonce } from '../../src/methods/eth_getTransactionBySenderAndNonce.ts';
import type { MethodContext } from '../../src/methods/method-context.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { hashOf } from '../support/fake-feed.ts';

const SENDER = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;

class Scene {
  /** The block that used each nonce of the sender, in order: a nonce may be used without a transaction. */
  readonly used: { readonly block: number; readonly isTransaction: boolean }[] = [];
  readonly lookups: number[] = [];
  readonly paid: string[] = [];
  /** Lowest block for which a node has state. */
  oldest = 0;
  /** Number of transactions of others before the sender's in each block. */
  others = 1;
  readonly #head: number;

  constructor(head: number) {
    this.#head = head;
  }

  use(block: number, isTransaction = true): this {
    this.used.push({ block, isTransaction });
    return this;
  }

  async find(nonce: number): Promise<unknown> {
    const params = [SENDER.toUpperCase().replace('0X', '0x'), `0x${nonce.toString(16)}`];
    return JSON.parse(String(await ethGetTransactionBySenderAndNonce.invoke(params, this.#createContext())));
  }

  #createContext(): MethodContext {
    const chain = createFakeChain({
      blocks: {
        getHeader: () => ({
          number: BigInt(this.#head),
          hash: hashOf(this.#head),
          timestamp: 1n,
          gasLimit: 1n,
          extraData: '0x',
        }),
        getBlock: async (block) => JSON.stringify({ transactions: this.#list(numberOf(block)) }),
      },
      state: {
        getTransactionCount: async (address, block) => {
          assert.equal(address, SENDER);
          const number = numberOf(block);
          this.lookups.push(number);
          if (number < this.oldest) throw new ChainError('pruned', 'pruned');
          return `"0x${this.used.filter((use) => use.block <= number).length.toString(16)}"`;
        },
      },
      transactions: {
        getTransaction: async (reference) => {
          assert.ok('index' in reference);
          return JSON.stringify([numberOf(reference.block), Number(reference.index)]);
        },
        findWaiting: async (_sender, nonce) => (nonce === 9n ? '"waiting"' : null),
      },
    });
    const scope = new RequestScope(performance.now() + 60_000);
    scope.meter = {
      pay: () => {},
      payFor: (name, count) => void this.paid.push(`${name} ${count}`),
    };
    return { network: createScriptedNetwork(chain), clientVersion: 'v', scope };
  }

  #list(number: number): readonly object[] {
    const others = Array.from({ length: this.others }, (_, i) => ({
      from: OTHER,
      nonce: `0x${i.toString(16)}`,
    }));
    const own = this.used.flatMap(({ block, isTransaction }, nonce) =>
      block === number && isTransaction ? [{ from: SENDER, nonce: `0x${nonce.toString(16)}` }] : [],
    );
    return [...others, ...own];
  }
}

const numberOf = (block: BlockReference): number => {
  if (block.kind === 'number') return Number(block.number);
  assert.ok(block.kind === 'hash');
  return Number(BigInt(block.hash));
};

test('each nonce is found, whichever block contains it', async () => {
  const head = 37;
  for (let block = 1; block <= head; block++) {
    const scene = new Scene(head).use(block).use(block);
    assert.deepEqual(await scene.find(0), [block, 1]);
    assert.deepEqual(await scene.find(1), [block, 2]);
  }
});

test('the number of look-ups grows with the logarithm of the age, and each is charged', async () => {
  const scene = new Scene(2 ** 24).use(1).use(2 ** 24 - 3);
  assert.deepEqual(await scene.find(0), [1, 1]);
  assert.ok(scene.lookups.length <= 50, String(scene.lookups.length));
  assert.equal(scene.paid.length, scene.lookups.length);
  assert.equal(scene.paid[0], 'eth_getTransactionBySenderAndNonce_lookup 1');
  scene.lookups.length = 0;
  assert.deepEqual(await scene.find(1), [2 ** 24 - 3, 1]);
  assert.ok(scene.lookups.length <= 8, String(scene.lookups.length));
});

test('a recent nonce is found without old state; an older one fails with the error pruned', async () => {
  const scene = new Scene(1_000).use(500).use(990);
  scene.oldest = 900;
  assert.deepEqual(await scene.find(1), [990, 1]);
  await assert.rejects(scene.find(0), { kind: 'pruned' });
});

test('the result is null for a nonce not used, used without a transaction, or used in genesis', async () => {
  const scene = new Scene(20).use(0).use(5, false).use(7);
  assert.equal(await scene.find(3), null);
  assert.equal(await scene.find(1), null);
  assert.equal(await scene.find(0), null);
  assert.deepEqual(await scene.find(2), [7, 1]);
  assert.equal(await scene.find(9), 'waiting');
});

test('a block with many transactions is searched too', async () => {
  const scene = new Scene(3).use(2);
  scene.others = 4_000;
  assert.deepEqual(await scene.find(0), [2, 4_000]);
});

test('eth_getAccountInfo reads all of an account at one block, even if the head changes', async () => {
  const requested: BlockReference[] = [];
  let head = 7;
  const note = (block: BlockReference, answer: string): string => {
    requested.push(block);
    head++;
    return answer;
  };
  const chain = createFakeChain({
    blocks: {
      getHeader: (block) =>
        block.kind === 'tag' && block.tag === 'pending'
          ? { number: 8n, timestamp: 1n, gasLimit: 1n, extraData: '0x' }
          : { number: BigInt(head), hash: hashOf(head), timestamp: 1n, gasLimit: 1n, extraData: '0x' },
    },
    state: {
      getBalance: (_, block) => note(block, '"0x5"'),
      getTransactionCount: async (_, block) => note(block, '"0x6"'),
      getCode: async (_, block) => note(block, '"0x60"'),
    },
  });
  const scope = new RequestScope(performance.now() + 60_000);
  const context = { network: createScriptedNetwork(chain), clientVersion: 'v', scope };
  const read = async (...params: readonly unknown[]): Promise<unknown> =>
    JSON.parse(String(await ethGetAccountInfo.invoke(params, context)));
  assert.deepEqual(await read(SENDER, 'latest'), { balance: '0x5', nonce: '0x6', code: '0x60' });
  assert.deepEqual(requested, Array(3).fill({ kind: 'hash', hash: hashOf(7), requireCanonical: false }));
  requested.length = 0;
  await read(SENDER, 'pending');
  assert.deepEqual(requested, Array(3).fill({ kind: 'tag', tag: 'pending' }));
  await assert.rejects(read(SENDER), { rowName: 'invalidParams' });
});
