import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { openNetwork } from './liars.ts';

type RpcTransaction = Readonly<Record<string, unknown>> & { readonly hash: string };

const ALIEN = `0x${'11'.repeat(20)}`;
const NOWHERE = { blockHash: null, blockNumber: null, transactionIndex: null, blockTimestamp: null };
const LIES: readonly Readonly<Record<string, unknown>>[] = [
  { value: '0x123456' },
  { to: ALIEN },
  { input: '0x12' },
  { from: ALIEN },
];

const node = useDevnetNode();
let transaction: RpcTransaction;

before(async () => {
  const told = await node.ask('eth_getTransactionByBlockNumberAndIndex', '0x13', '0x1');
  assert.ok(told !== null);
  transaction = told as RpcTransaction;
});

/** A fault that answers with the transaction as it was while pending, and with a change. */
const showWaiting = (change: object): Fault => ({
  concerns: ({ method }) => method === 'eth_getTransactionByHash',
  answer: () => Promise.resolve({ result: { ...transaction, ...NOWHERE, ...change } }),
});

test('a pending transaction is forwarded', async () => {
  const network = await openNetwork(node.answer, 1, 1, showWaiting({}));
  try {
    const text = await network.chain.transactions.getTransaction({ hash: transaction.hash }, createScope());
    assert.deepEqual(JSON.parse(String(text)), { ...transaction, ...NOWHERE });
  } finally {
    await network.close();
  }
});

for (const lie of LIES) {
  test(`a pending transaction with a changed ${Object.keys(lie).join()} is not forwarded`, async () => {
    const network = await openNetwork(node.answer, 2, 1, showWaiting(lie));
    try {
      const text = await network.chain.transactions.getTransaction({ hash: transaction.hash }, createScope());
      assert.deepEqual(JSON.parse(String(text)), transaction);
    } finally {
      await network.close();
    }
  });
}
