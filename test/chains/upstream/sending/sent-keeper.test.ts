import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTransaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import type { BlockPlace } from '../../../../src/chain/chain.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import { DEFAULT_SEND } from '../../../../src/chains/upstream/sending/options.ts';
import { SentKeeper } from '../../../../src/chains/upstream/sending/sent-keeper.ts';
import { SentTransactions } from '../../../../src/chains/upstream/sending/sent-transactions.ts';
import type { Upstream } from '../../../../src/pool/upstream.ts';
import { SENDING_TOOLS } from '../../../../src/service/sending-tools.ts';
import type { RequestScope } from '../../../../src/util/request-scope.ts';
import { createSpend } from '../../../pool/support/create-spend.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { createNode } from '../../../pool/support/scripted-node.ts';
import { TAKEN } from '../../../pool/support/sending-network.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import { FakeHeads, hashOf } from '../../../support/fake-feed.ts';

const SENDER = `0x${'11'.repeat(20)}`;
const BYTES = makeTransaction({ chainId: 1n });
const TRANSACTION = decodeTransaction(BYTES);

function scopeOf(owner: string): RequestScope {
  const scope = createScope();
  scope.owner = owner;
  return scope;
}

function add(sent: SentTransactions, hash: string, owner: string): void {
  const added = sent.add(
    { hash, sender: SENDER, transaction: TRANSACTION, bytes: BYTES, isPrivate: false },
    scopeOf(owner),
  );
  assert.notEqual(added, undefined);
}

type Scene = {
  readonly sent: SentTransactions;
  readonly repeats: readonly string[];
  /** Names of the nodes that received each repeat. */
  readonly receivers: readonly (readonly string[])[];
  /** Announces a head, and waits for its effects. */
  announce(head: BlockPlace | undefined): Promise<void>;
};

/** Transactions sent at block 10 that no block and no node has: one, or those that `fill` adds. */
function setScene(
  isDevelopment: boolean,
  fill: (sent: SentTransactions) => void = (sent) => add(sent, hashOf(1), ''),
  getReceipt: (hash: string, owner: string) => Promise<string | null> = async () => null,
  upstreams: readonly Upstream[] = [],
): Scene {
  const sent = new SentTransactions(() => 0);
  fill(sent);
  const heads = new FakeHeads(10n);
  const reads = { getReceipt: (hash: string, scope: RequestScope) => getReceipt(hash, scope.owner ?? '') };
  const repeats: string[] = [];
  const receivers: string[][] = [];
  const keeper = new SentKeeper(
    {
      chainId: { value: 1n },
      isDevelopment,
      upstreams,
      options: DEFAULT_SEND,
      tools: SENDING_TOOLS,
      relay: undefined,
      sendToNode: () => assert.fail('no node is asked'),
      sent,
      answers: {
        blocks: { getHeaderObject: () => assert.fail('no header is read') },
        transactions: {
          ...reads,
          getTransaction: () => assert.fail('no transaction is read'),
          findPlace: () => undefined,
        },
        state: { getTransactionCount: async () => '"0x0"' },
      },
      heads,
      directory: { hasDeparted: () => false, hashOf: () => undefined },
      refreshHeads: async () => {},
      records: undefined,
    },
    { isHidden: async () => false },
    reads,
    {
      async repeat({ hash }, nodes) {
        repeats.push(hash);
        receivers.push(nodes.map(({ name }) => name));
        return [];
      },
    },
  );
  keeper.begin();
  return {
    sent,
    repeats,
    receivers,
    async announce(head) {
      heads.move(head);
      await keeper.idle;
    },
  };
}

describe('sent transactions', () => {
  it('are sent again when a head goes back', async () => {
    const { sent, repeats, announce } = setScene(false);
    await announce({ number: 8n, hash: hashOf(8) });
    assert.deepEqual([repeats.length, sent.size], [1, 1]);
    await announce(undefined);
    assert.equal(sent.size, 1);
  });

  it('are not sent again to a node that is cordoned or beyond a hard budget, nor looked up there', async () => {
    const [spend, price] = [
      createSpend({ default: 1 }, { credits: 1, hard: true }),
      createSpend({ default: 1 }),
    ];
    spend.charge(1);
    const [barred, priced, cordoned] = [
      createNode({ behaviour: TAKEN, name: 'barred', spend }).upstream,
      createNode({ behaviour: TAKEN, name: 'priced', spend: price }).upstream,
      createNode({ behaviour: TAKEN, name: 'cordoned' }).upstream,
    ];
    cordoned.apply({ kind: 'cordonChanged', cordon: 'cordoned' });
    const nodes = [barred, cordoned];
    const fill = (sent: SentTransactions): void => {
      add(sent, hashOf(1), '');
      // No node may be asked: see `sendToNode`.
      for (const node of nodes) sent.get(hashOf(1))?.takers.add(node);
    };
    const only = setScene(false, fill, undefined, nodes);
    await only.announce({ number: 8n, hash: hashOf(8) });
    const { announce, receivers } = setScene(false, fill, undefined, [...nodes, priced]);
    await announce({ number: 8n, hash: hashOf(8) });
    assert.deepEqual([only.receivers, receivers], [[[]], [['priced']]]);
  });

  it('are retained on a development network while its chain grows, and not sent again', async () => {
    const { sent, repeats, announce } = setScene(true);
    for (const number of [11, 12, 12, 13, 20])
      await announce({ number: BigInt(number), hash: hashOf(number) });
    assert.deepEqual([repeats.length, sent.size], [0, 1]);
  });

  for (const [name, head] of [
    ['goes back', { number: 9n, hash: hashOf(9) }],
    ['has another block at the height', { number: 10n, hash: hashOf(99) }],
    ['begins anew', undefined],
  ] as const) {
    it(`are dropped when a development node ${name}`, async () => {
      const { sent, repeats, announce } = setScene(true);
      await announce(head);
      assert.deepEqual([repeats.length, sent.size], [0, 0]);
    });
  }
});

describe('a transaction of a key', () => {
  const VICTIM = hashOf(1);
  const LOOKS = 12;

  /** @returns how often each check has sent the victim's transaction again */
  async function look({ repeats, announce }: Scene): Promise<number[]> {
    const counts: number[] = [];
    for (let i = 1; i <= LOOKS; i++) {
      const before = repeats.length;
      await announce({ number: BigInt(10 + 2 * i), hash: hashOf(10 + 2 * i) });
      counts.push(repeats.slice(before).filter((hash) => hash === VICTIM).length);
    }
    return counts;
  }

  it('is sent again at each check, even if another key has sent the bytes first and 1,024 others after them', async () => {
    const scene = setScene(false, (sent) => {
      add(sent, VICTIM, 'attacker');
      add(sent, VICTIM, 'victim');
      for (let i = 0; i < 1_024; i++) add(sent, hashOf(1_000 + i), 'attacker');
    });
    assert.deepEqual(await look(scene), Array(LOOKS).fill(1));
  });

  it('gets its share of the checks beside 200 other keys', async () => {
    const scene = setScene(false, (sent) => {
      for (let i = 0; i < 2_000; i++) add(sent, hashOf(1_000 + i), `attacker${i % 200}`);
      add(sent, VICTIM, 'victim');
    });
    const counts = await look(scene);
    const total = counts.reduce((sum, count) => sum + count, 0);
    // 201 keys, 128 per check.
    assert.ok(total >= 7, `${total} times`);
  });

  it('is checked under each of the keys that have sent it in turn', async () => {
    const requested: string[] = [];
    const scene = setScene(
      false,
      (sent) => {
        add(sent, VICTIM, 'attacker');
        add(sent, VICTIM, 'victim');
      },
      async (_, owner) => {
        requested.push(owner);
        if (owner === 'attacker') throw new ChainError('busy', 'node.inFlight');
        return null;
      },
    );
    const total = (await look(scene)).reduce((sum, count) => sum + count, 0);
    assert.equal(total, LOOKS / 2);
    assert.equal(requested.length, LOOKS);
  });

  it('is completed for all keys that have sent it when it is in a block', async () => {
    const scene = setScene(
      false,
      (sent) => {
        for (const owner of ['one', 'two', 'three']) add(sent, VICTIM, owner);
        add(sent, hashOf(2), 'two');
      },
      async (hash) => (hash === VICTIM ? '{}' : null),
    );
    await scene.announce({ number: 12n, hash: hashOf(12) });
    assert.equal(scene.sent.size, 1);
    assert.equal(scene.sent.get(VICTIM), undefined);
  });
});
