/** Charges of calls beyond their weight, in units of the table of work credits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MethodContext } from '../../src/methods/method-context.ts';
import { findMethod } from '../../src/methods/table.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelFeed } from '../support/model-feed.ts';
import { FilterProcess } from './filter-client.ts';

type Paid = [name: string, count: number];

/** Opens a scope whose owner's charges go to `paid`. */
function openScope(paid: Paid[]): RequestScope {
  const scope = new RequestScope(performance.now() + 60_000);
  scope.owner = 'key';
  scope.meter = { pay: () => {}, payFor: (name, count) => void paid.push([name, count]) };
  return scope;
}

const SERVED = { number: 1_000n, hash: `0x${'5e'.repeat(32)}` };
const HASH = `0x${'ab'.repeat(32)}`;

async function payFor(name: string, ...params: readonly unknown[]): Promise<Paid[]> {
  const paid: Paid[] = [];
  const chain = createFakeChain({
    heads: { served: SERVED },
    execution: {
      simulate: () => '[]',
      call: () => '"0x"',
      estimateGas: () => '"0x1"',
      createAccessList: () => '{}',
    },
    logs: { getLogs: () => '[]' },
  });
  const network = { chain } as unknown as MethodContext['network'];
  const method = findMethod(name, network);
  assert.ok(method !== undefined);
  await method.invoke(params, { network, clientVersion: 'v', scope: openScope(paid) });
  return paid;
}

const bytes = (count: number): string => `0x${'00'.repeat(count)}`;

test('web3_sha3 is charged for each further 16 KiB', async () => {
  assert.deepEqual(await payFor('web3_sha3', bytes(16_000)), []);
  assert.deepEqual(await payFor('web3_sha3', bytes(2 << 20)), [['web3_sha3_further16KiB', 128]]);
});

const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`;
const topic = (i: number): string => `0x${i.toString(16).padStart(64, '0')}`;
const listOf = (count: number, make: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => make(i));

test('eth_getLogs is charged for each further hundred of addresses and topics', async () => {
  const ask = (addresses: number, ...topics: number[]): Promise<Paid[]> =>
    payFor('eth_getLogs', {
      address: listOf(addresses, address),
      topics: topics.map((count) => listOf(count, topic)),
    });
  assert.deepEqual(await ask(50, 50), []);
  assert.deepEqual(await ask(50, 51), [['eth_getLogs_further100Values', 1]]);
  assert.deepEqual(await ask(0, 900, 900, 900, 900), [['eth_getLogs_further100Values', 35]]);
});

test('a log filter is charged the same by eth_getFilterLogs and eth_getFilterChanges', async () => {
  const process = new FilterProcess({
    feed: new ModelFeed(),
    records: new MemoryRecordTable(),
    chain: { logs: { getLogs: () => '[]' } },
  });
  const paid: Paid[] = [];
  const ask = process.connect('key', () => openScope(paid));
  const id = await ask('eth_newFilter', { topics: [listOf(900, topic), listOf(900, topic)] });
  for (const name of ['eth_getFilterLogs', 'eth_getFilterChanges']) {
    paid.length = 0;
    await ask(name, id);
    assert.deepEqual(paid, [['eth_getLogs_further100Values', 17]], name);
  }
});

test('a poll for full pending transactions is charged for each look-up', async () => {
  const feed = new ModelFeed();
  const process = new FilterProcess({
    feed,
    records: new MemoryRecordTable(),
    // No transaction is known any more: the lookup is what costs.
    chain: { transactions: { getTransaction: () => null } },
  });
  const paid: Paid[] = [];
  const ask = process.connect('key', () => openScope(paid));
  const whole = await ask('eth_newPendingTransactionFilter', true);
  const hashes = await ask('eth_newPendingTransactionFilter');
  feed.announce(topic(1), topic(2), topic(3));
  assert.equal(((await ask('eth_getFilterChanges', hashes)) as unknown[]).length, 3);
  assert.deepEqual(paid, []);
  assert.deepEqual(await ask('eth_getFilterChanges', whole), []);
  assert.deepEqual(paid, [['eth_getFilterChanges_transaction', 3]]);
});

test('eth_simulateV1 is charged for each further block, including those of gaps', async () => {
  const blocks = (...numbers: (number | undefined)[]): object => ({
    blockStateCalls: numbers.map((number) =>
      number === undefined ? {} : { blockOverrides: { number: `0x${number.toString(16)}` } },
    ),
  });
  const count = async (simulation: object, block: unknown): Promise<number> =>
    (await payFor('eth_simulateV1', simulation, block))[0]?.[1] ?? 0;
  assert.equal(await count(blocks(undefined), 'latest'), 0);
  assert.equal(await count(blocks(1_001), 'latest'), 0);
  assert.equal(await count(blocks(1_256), 'latest'), 255);
  assert.equal(await count(blocks(1_256), SERVED.hash), 255);
  assert.equal(await count(blocks(undefined, 1_010, undefined), 'latest'), 10);
  assert.equal(await count(blocks(20, 30), '0xa'), 19);
  assert.equal(await count(blocks(undefined, undefined), HASH), 1);
  assert.equal(
    await count(blocks(undefined, 20), HASH),
    255,
    'a gap that is not known is as long as it may be',
  );
});

/** Storage with `count` slots of one word each. */
const storage = (count: number): object =>
  Object.fromEntries(listOf(count, topic).map((slot) => [slot, topic(1)]));
const AUTHORIZATION = {
  chainId: '0x1',
  address: address(1),
  nonce: '0x0',
  yParity: '0x0',
  r: '0x1',
  s: '0x1',
};
/** Calls with `count` entries, one row per list and map in the parameters: the call, and its state overrides. */
const WITH_ENTRIES: readonly ((count: number) => readonly [call: object, stateOverrides?: object])[] = [
  (count) => [{ accessList: [{ address: address(1), storageKeys: listOf(count - 1, topic) }] }],
  (count) => [{ accessList: listOf(count, address).map((one) => ({ address: one, storageKeys: [] })) }],
  (count) => [{ to: address(1), blobVersionedHashes: listOf(count, topic) }],
  (count) => [{ to: address(1), authorizationList: Array(count).fill(AUTHORIZATION) }],
  (count) => [{}, Object.fromEntries(listOf(count, address).map((one) => [one, {}]))],
  (count) => [{}, { [address(1)]: { state: storage(count - 1) } }],
  (count) => [{}, { [address(1)]: { stateDiff: storage(count - 1) } }],
  (count) => [
    { accessList: [{ address: address(1), storageKeys: listOf(count / 2, topic) }] },
    { [address(1)]: { stateDiff: storage(count / 2 - 2) } },
  ],
];
const TOO_MANY = {
  message: 'the call has more than 8192 entries in its lists and overrides (bound: call.entries)',
  rowName: 'callTooLarge',
};

test('a call is charged for each further hundred entries in its lists and overrides, up to a bound', async () => {
  for (const [i, make] of WITH_ENTRIES.entries()) {
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_simulateV1']) {
      const payForEntries = (count: number): Promise<Paid[]> => {
        const [call, stateOverrides] = make(count);
        return method === 'eth_simulateV1'
          ? payFor(method, { blockStateCalls: [{ calls: [call], stateOverrides }] }, 'latest')
          : payFor(method, call, 'latest', stateOverrides);
      };
      // In a simulation the call itself counts too.
      assert.deepEqual(await payForEntries(98), [], `${method} ${i}`);
      assert.deepEqual(await payForEntries(350), [['call_further100Entries', 3]], `${method} ${i}`);
      assert.deepEqual(await payForEntries(8_192), [['call_further100Entries', 81]], `${method} ${i}`);
      await assert.rejects(payForEntries(8_194), TOO_MANY, `${method} ${i}`);
    }
  }
});

test('eth_simulateV1 is charged for withdrawals, entries and calls of all blocks together', async () => {
  const block = (withdrawals: number, calls: number): object => ({
    blockOverrides: { withdrawals: Array(withdrawals).fill({}) },
    calls: Array(calls).fill({}),
  });
  const payForBlocks = (...blockStateCalls: object[]): Promise<Paid[]> =>
    payFor('eth_simulateV1', { blockStateCalls }, 'latest');
  assert.deepEqual(await payForBlocks(block(16, 84)), []);
  assert.deepEqual(await payForBlocks(block(16, 85)), [['call_further100Entries', 1]]);
  assert.deepEqual(await payForBlocks(block(100, 0), block(100, 100)), [
    ['eth_simulateV1_furtherBlock', 1],
    ['call_further100Entries', 2],
  ]);
  assert.deepEqual(await payForBlocks(block(0, 5_000), block(8_192, 5_000)), [
    ['eth_simulateV1_furtherBlock', 1],
    ['call_further100Entries', 181],
  ]);
  await assert.rejects(payForBlocks(block(8_193, 0)), TOO_MANY);
  await assert.rejects(payForBlocks(block(4_096, 0), block(4_097, 0)), TOO_MANY);
});
