import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockPlace } from '../../../src/chain/chain.ts';
import { decodeTransaction } from '../../../src/chain/transaction.ts';
import { SENDING_TOOLS } from '../../../src/cli/sending-tools.ts';
import { DEFAULT_SEND } from '../../../src/upstream/sending/options.ts';
import { SentKeeper } from '../../../src/upstream/sending/sent-keeper.ts';
import { SentTransactions } from '../../../src/upstream/sending/sent-transactions.ts';
import { makeTransaction } from '../../support/bad-transactions.ts';
import { createFakeChain } from '../../support/fake-chain.ts';
import { FakeHeads, hashOf } from '../../support/fake-feed.ts';
import { createScope } from '../support/exchange.ts';

const SENDER = `0x${'11'.repeat(20)}`;

type Scene = {
  readonly sent: SentTransactions;
  readonly repeats: readonly string[];
  /** Announces a head, and waits for what follows from it. */
  announce(head: BlockPlace | undefined): Promise<void>;
};

/** One transaction that was sent at block 10, is in no block, and that no node has. */
function setScene(isDevelopment: boolean): Scene {
  const sent = new SentTransactions(() => 0);
  const bytes = makeTransaction({ chainId: 1n });
  const transaction = decodeTransaction(bytes);
  sent.add({ hash: hashOf(1), sender: SENDER, transaction, bytes, isPrivate: false }, createScope());
  const heads = new FakeHeads(10n);
  const chain = createFakeChain({
    heads,
    transactions: { getReceipt: async () => null },
    state: { getTransactionCount: async () => '"0x0"' },
  });
  const repeats: string[] = [];
  const keeper = new SentKeeper(
    {
      chainId: 1n,
      isDevelopment,
      upstreams: [],
      options: DEFAULT_SEND,
      tools: SENDING_TOOLS,
      relay: undefined,
      askNode: () => assert.fail('no node is asked'),
      chain: () => chain,
      directory: { hasDeparted: () => false, hashOf: () => undefined },
      refreshHeads: async () => {},
      records: undefined,
    },
    sent,
    {
      async repeat({ hash }) {
        repeats.push(hash);
        return [];
      },
    },
  );
  keeper.begin();
  return {
    sent,
    repeats,
    async announce(head) {
      heads.move(head);
      await keeper.idle;
    },
  };
}

describe('transactions that were sent', () => {
  it('are sent again where a head goes back', async () => {
    const { sent, repeats, announce } = setScene(false);
    await announce({ number: 8n, hash: hashOf(8) });
    assert.deepEqual([repeats.length, sent.size], [1, 1]);
    await announce(undefined);
    assert.equal(sent.size, 1);
  });

  it('are kept on a development network while its chain grows, and not sent again', async () => {
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
    it(`are forgotten when a development node ${name}`, async () => {
      const { sent, repeats, announce } = setScene(true);
      await announce(head);
      assert.deepEqual([repeats.length, sent.size], [0, 0]);
    });
  }
});
