/** The cost of shared records of sent transactions is constant, however many a key has sent and under however many sessions. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { decodeTransaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import { SentRecords } from '../../../../src/chains/upstream/sending/sent-records.ts';
import { SENT_LIFE_MS } from '../../../../src/chains/upstream/sending/sent-transactions.ts';
import type { RecordTable } from '../../../../src/shared-store/records/record-table.ts';
import { RedisRecordTable } from '../../../../src/shared-store/records/redis-record-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../../access/key-tables.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { countCommands, countLmdbOf, type Reads } from '../../../shared-store/records/count-reads.ts';
import { openLmdbRecords } from '../../../shared-store/records/tables.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';

const SENDER = `0x${'11'.repeat(20)}`;
const HASH = `0x${'ab'.repeat(32)}`;
/** A transaction of 6 KB, as for a contract creation. */
const BYTES = makeTransaction({ chainId: 1n, nonce: 5n, data: new Uint8Array(6_000) });
const TRANSACTION = decodeTransaction(BYTES);
const TIMES = 10;

type Send = (records: SentRecords, session: string | undefined) => Promise<void>;
const send: Send = (records, session) => {
  const scope = createScope();
  scope.owner = 'key';
  scope.session = session;
  const entry = { hash: HASH, sender: SENDER, transaction: TRANSACTION } as Parameters<
    SentRecords['write']
  >[0];
  return records.write(entry, scope);
};

const KINDS: readonly {
  readonly name: string;
  readonly skip: string | false;
  open(t: TestContext): Promise<{ table: RecordTable; count(work: () => Promise<void>): Promise<Reads> }>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    open: async (t) => ({ table: openLmdbRecords(t, makeFolder(t)), count: countLmdbOf }),
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t) => {
      const client = await openClient(t, await openServer(t));
      const table = new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 10_000 });
      return { table, count: (work) => countCommands(client, work) };
    },
  },
];

describe('a transaction that is sent repeatedly, each time in another session', () => {
  for (const { name, skip, open } of KINDS) {
    it(`costs the same after 1,100 sends in ${name}`, { skip }, async (t) => {
      const { table, count } = await open(t);
      const records = new SentRecords(
        table,
        () => 1n,
        () => Date.now(),
      );
      let session = 0;
      const sendSome = async (times: number): Promise<void> => {
        for (let i = 0; i < times; i++) await send(records, `session${session++}`);
      };
      await sendSome(TIMES);
      const early = await count(() => sendSome(TIMES));
      await sendSome(1_100);
      const late = await count(() => sendSome(TIMES));
      assert.equal(late.writes >= early.writes, true);
      // Each new record evicts one of the oldest in each of three tables.
      assert.ok(late.rows <= 3 * early.rows + TIMES * 3 * 8, `${late.rows} rows, ${early.rows} before`);
      if (name === 'LMDB') assert.equal(late.writes, early.writes);
      // The newest record is present.
      const scope = createScope();
      scope.owner = 'key';
      scope.session = `session${session - 1}`;
      assert.equal((await records.find(scope, HASH))?.sender, SENDER);
    });
  }
});

describe('nonces that processes share', () => {
  it('count for ten minutes, even if a process with a clock ahead has written them', async () => {
    const clock = { now: 1_700_000_000_000 };
    const table = new MemoryRecords(() => 0);
    const records = new SentRecords(
      table,
      () => 1n,
      () => clock.now,
    );
    const scope = createScope();
    scope.owner = 'key';
    const list = async (): Promise<bigint[]> => [...(await records.listNonces(scope, SENDER))];
    clock.now += 3_600_000;
    await send(records, undefined);
    assert.deepEqual(await list(), [5n]);
    clock.now -= 3_600_000;
    assert.deepEqual(await list(), []);
    await send(records, undefined);
    assert.deepEqual(await list(), [5n]);
    clock.now += SENT_LIFE_MS;
    assert.deepEqual(await list(), []);
  });

  it('are limited to the highest 256', async () => {
    const table = new MemoryRecords(() => 0);
    const records = new SentRecords(
      table,
      () => 1n,
      () => 0,
    );
    const scope = createScope();
    scope.owner = 'key';
    for (const nonce of [9n, 100n, 10n, ...Array.from({ length: 255 }, (_, i) => 1_000n + BigInt(i))]) {
      const transaction = { ...TRANSACTION, nonce } as typeof TRANSACTION;
      const entry = { hash: `0x${nonce}`, sender: SENDER, transaction } as Parameters<
        SentRecords['write']
      >[0];
      await records.write(entry, scope);
    }
    const nonces = await records.listNonces(scope, SENDER);
    assert.deepEqual(
      [nonces.size, nonces.has(100n), nonces.has(10n), nonces.has(9n)],
      [256, true, false, false],
    );
  });
});
