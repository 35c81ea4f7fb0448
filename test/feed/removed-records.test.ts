import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { RemovedRecords } from '../../src/feed/removed-records.ts';
import { MAX_RECORD_BYTES, type RecordTable } from '../../src/shared-store/records/record-table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FaultyRecords } from '../support/faulty-records.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelChain, modelTopic } from '../support/model-chain.ts';
import { ANY, createScope, type FeedSetup, Recorder } from './support.ts';

const OTHER_CHAIN = 5n;

function open(model: ModelChain, records: RecordTable, chainId: bigint = model.chain.chainId): FeedSetup {
  const clock = new FakeClock();
  const removed = new RemovedRecords(records, () => chainId, clock);
  return { model, clock, feed: createNetworkFeed({ chain: model.chain, clock, removed }) };
}

async function rest({ clock }: FeedSetup): Promise<void> {
  for (let round = 0; round < 8; round++) await clock.advance(0);
}

/** Joins the feed after a block. @returns the recorder of its steps and logs */
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

/** Lets a process with a listener follow a reorg, after which nodes no longer have the orphaned blocks. */
async function followReorg(
  records: RecordTable,
): Promise<{ readonly model: ModelChain; readonly orphan: string; readonly witness: FeedSetup }> {
  const model = new ModelChain(10);
  model.keepsRemoved = false;
  const witness = open(model, records);
  await joinAfter(witness, model.head.hash);
  model.grow(3).announce();
  await rest(witness);
  const orphan = model.head.hash;
  model.reorganise(2, 4).announce();
  await rest(witness);
  return { model, orphan, witness };
}

describe('records of removed blocks', () => {
  it('let a process that never saw these blocks report them as removed, logs included', async () => {
    const records = new MemoryRecordTable();
    const { model, orphan } = await followReorg(records);
    const recorder = await joinAfter(open(model, records), orphan);
    assert.equal(recorder.summary, '-12 -11 +11 +12 +13 +14');
    recorder.check(model, orphan, model.served);
    const { last } = await open(model, records).feed.read({ kind: 'after', hash: orphan }, createScope());
    assert.equal(last.hash, model.head.hash);
  });

  it('are separate for each chain', async () => {
    const records = new MemoryRecordTable();
    const { model, orphan } = await followReorg(records);
    await assert.rejects(joinAfter(open(model, records, OTHER_CHAIN), orphan), { kind: 'unknownBlock' });
  });

  it('are replaced by reads from nodes while the table is unavailable; a block that no node has is then unavailable, not unknown', async () => {
    const records = new FaultyRecords(new MemoryRecordTable());
    const { model, orphan } = await followReorg(records);
    records.isAway = true;
    await assert.rejects(joinAfter(open(model, records), orphan), { kind: 'unavailable' });
    model.keepsRemoved = true;
    assert.equal((await joinAfter(open(model, records), orphan)).summary, '-12 -11 +11 +12 +13 +14');
    model.keepsRemoved = false;
    records.isAway = false;
    assert.equal((await joinAfter(open(model, records), orphan)).summary, '-12 -11 +11 +12 +13 +14');
    await assert.rejects(joinAfter(open(model, records), modelTopic(1)), { kind: 'unknownBlock' });
  });

  it('are written once the table is available again', async () => {
    const records = new FaultyRecords(new MemoryRecordTable());
    records.isAway = true;
    const { model, orphan, witness } = await followReorg(records);
    records.isAway = false;
    await witness.clock.advance(5_000);
    await rest(witness);
    assert.equal((await joinAfter(open(model, records), orphan)).summary, '-12 -11 +11 +12 +13 +14');
  });

  it('contain the logs even if no process had read them before', async () => {
    const records = new MemoryRecordTable();
    const model = new ModelChain(10);
    const witness = open(model, records);
    await witness.feed.read({ kind: 'head' }, createScope());
    const orphan = model.grow(3).head.hash;
    model.announce();
    await rest(witness);
    model.reorganise(2, 4).announce();
    await rest(witness);
    model.keepsRemoved = false;
    const recorder = await joinAfter(open(model, records), orphan);
    recorder.check(model, orphan, model.served);
  });

  it('contain the blocks even if their only reader ended before the blocks were removed', async () => {
    const records = new MemoryRecordTable();
    const model = new ModelChain(10);
    model.keepsRemoved = false;
    const witness = open(model, records);
    await joinAfter(witness, model.head.hash);
    const orphan = model.grow(3).head.hash;
    model.announce();
    await rest(witness);
    witness.feed.close();
    await rest(witness);
    model.reorganise(2, 4);
    const recorder = await joinAfter(open(model, records), orphan);
    assert.equal(recorder.summary, '-12 -11 +11 +12 +13 +14');
    recorder.check(model, orphan, model.served);
  });

  it('allow a start for headers but not for logs if the logs were too long to be stored', async () => {
    const records = new MemoryRecordTable();
    const model = new ModelChain(10);
    model.keepsRemoved = false;
    const json = `{"data":"${'x'.repeat(MAX_RECORD_BYTES)}","removed":false}`;
    model.answer = (right, { kind }) => {
      const answer = right();
      return kind === 'logs' && answer !== null ? ([{ address: '0x', topics: [], json }] as never) : answer;
    };
    const witness = open(model, records);
    const { ends, logs } = await joinAfter(witness, model.head.hash);
    model.grow(3).announce();
    await rest(witness);
    const orphan = model.head.hash;
    model.reorganise(2, 4).announce();
    await rest(witness);
    // The process that has the blocks in memory reports their logs as removed.
    assert.deepEqual(ends, []);
    assert.equal(logs.filter(({ step }) => step.kind === 'removed').length, 2);
    await assert.rejects(joinAfter(open(model, records), orphan), { kind: 'unknownBlock' });
    const other = open(model, records);
    const headers = new Recorder();
    const joining = other.feed.join({ kind: 'after', hash: orphan }, headers.listener, createScope());
    await rest(other);
    await joining;
    await rest(other);
    assert.equal(headers.summary, '-12 -11 +11 +12 +13 +14');
  });

  it('omit logs that are too long, and do not overwrite logs that another process wrote', async () => {
    const removed = new RemovedRecords(new MemoryRecordTable(), () => 1n);
    const find = (hash: string): Promise<unknown> =>
      removed.find<unknown>(
        hash,
        (found) => found,
        () => null,
      );
    const [block] = new ModelChain(1).all;
    assert.ok(block !== undefined);
    const { header } = block;
    const [topics, address] = [[], '0x'];
    await removed.keep(block, [{ address, topics, json: 'x'.repeat(MAX_RECORD_BYTES) }]);
    assert.deepEqual(await find(block.hash), { header });
    const logs = [{ address, topics, json: '{}' }];
    await removed.keep(block, logs);
    await removed.keep(block, undefined);
    assert.deepEqual(await find(block.hash), { header, logs });
  });
});
