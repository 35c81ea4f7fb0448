import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { RemovedRecords } from '../../src/feed/removed-records.ts';
import { MemoryRecordTable } from '../../src/records/memory-record-table.ts';
import { MAX_RECORD_BYTES, type RecordTable, RecordTableError } from '../../src/records/record-table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ModelChain } from '../support/model-chain.ts';
import { ANY, createScope, type FeedSetup, Recorder } from './support.ts';

const OTHER_CHAIN = 5n;

function open(model: ModelChain, records: RecordTable, chainId: bigint = model.chain.chainId): FeedSetup {
  const clock = new FakeClock();
  const removed = new RemovedRecords(records, chainId);
  return { model, clock, feed: createNetworkFeed({ chain: model.chain, clock, removed }) };
}

async function rest({ clock }: FeedSetup): Promise<void> {
  for (let round = 0; round < 8; round++) await clock.advance(0);
}

/** Joins behind a block; the steps and logs that it hears. */
async function joinAfter(setup: FeedSetup, hash: string): Promise<Recorder> {
  const recorder = new Recorder(ANY);
  let isDone = false;
  const joining = setup.feed.join({ kind: 'after', hash }, recorder.listener, createScope()).finally(() => {
    isDone = true;
  });
  joining.catch(() => {});
  while (!isDone) await setup.clock.advance(1_000);
  await joining;
  await rest(setup);
  return recorder;
}

/** A process with a listener follows a reorg, after which nodes have dropped what left the chain. */
async function followReorg(
  records: RecordTable,
): Promise<{ readonly model: ModelChain; readonly orphan: string }> {
  const model = new ModelChain(10);
  model.keepsRemoved = false;
  const witness = open(model, records);
  await joinAfter(witness, model.head.hash);
  model.grow(3).announce();
  await rest(witness);
  const orphan = model.head.hash;
  model.reorganise(2, 4).announce();
  await rest(witness);
  return { model, orphan };
}

describe('blocks that left the chain', () => {
  it('are taken back, logs and all, by a process that did not see them', async () => {
    const records = new MemoryRecordTable();
    const { model, orphan } = await followReorg(records);
    const recorder = await joinAfter(open(model, records), orphan);
    assert.equal(recorder.summary, '-12 -11 +11 +12 +13 +14');
    recorder.judge(model, orphan, model.served);
    const { last } = await open(model, records).feed.read({ kind: 'after', hash: orphan }, createScope());
    assert.equal(last.hash, model.head.hash);
  });

  it('are those of one chain', async () => {
    const records = new MemoryRecordTable();
    const { model, orphan } = await followReorg(records);
    await assert.rejects(joinAfter(open(model, records, OTHER_CHAIN), orphan), { kind: 'unknownBlock' });
  });

  it('are asked of nodes while the table cannot be reached', async () => {
    const fail = (): never => {
      throw new RecordTableError('no table');
    };
    const broken: RecordTable = {
      read: fail,
      create: fail,
      replace: fail,
      remove: fail,
      close: async () => {},
    };
    const { model, orphan } = await followReorg(broken);
    await assert.rejects(joinAfter(open(model, broken), orphan), { kind: 'unknownBlock' });
    model.keepsRemoved = true;
    assert.equal((await joinAfter(open(model, broken), orphan)).summary, '-12 -11 +11 +12 +13 +14');
  });

  it('are kept without logs that are too long, and keep those that another process wrote', async () => {
    const removed = new RemovedRecords(new MemoryRecordTable(), 1n);
    const [block] = new ModelChain(1).all;
    assert.ok(block !== undefined);
    const { header } = block;
    const [topics, address] = [[], '0x'];
    await removed.keep(block, [{ address, topics, json: 'x'.repeat(MAX_RECORD_BYTES) }]);
    assert.deepEqual(await removed.find(block.hash), { header });
    const logs = [{ address, topics, json: '{}' }];
    await removed.keep(block, logs);
    await removed.keep(block, undefined);
    assert.deepEqual(await removed.find(block.hash), { header, logs });
  });
});
