import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BlockLog } from '../../src/chain/chain.ts';
import { nameCriteria } from '../../src/feed/criteria.ts';
import { CriteriaIndex } from '../../src/feed/criteria-index.ts';
import type { LogCriteria } from '../../src/feed/feed.ts';
import { countDeletes } from '../support/count-deletes.ts';
import { modelAddress, modelTopic } from '../support/model-chain.ts';

const anyAddress = fc.nat({ max: 3 }).map(modelAddress);
const anyTopic = fc.nat({ max: 3 }).map(modelTopic);
/** Alternatives for one field; long lists are searched in another way than short ones. */
const anyAlternatives = (value: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.oneof(fc.array(value, { maxLength: 3 }), fc.array(value, { minLength: 9, maxLength: 12 }));
const anyCriteria: fc.Arbitrary<LogCriteria> = fc.record({
  addresses: anyAlternatives(anyAddress),
  topics: fc.array(anyAlternatives(anyTopic), { maxLength: 4 }),
});
const anyLog: fc.Arbitrary<BlockLog> = fc.record({
  address: anyAddress,
  topics: fc.array(anyTopic, { maxLength: 4 }),
  json: fc.constant('{}'),
});

/** Matches a log by the definition of eth_getLogs. */
function isMeant({ addresses, topics }: LogCriteria, log: BlockLog): boolean {
  if (addresses.length > 0 && !addresses.includes(log.address)) return false;
  return topics.every((alternatives, position) => {
    const topic = log.topics[position];
    return topic !== undefined && (alternatives.length === 0 || alternatives.includes(topic));
  });
}

/** @returns how often it paused */
function finish(evaluation: Generator<undefined, void>): number {
  let pauses = 0;
  while (evaluation.next().done !== true) pauses++;
  return pauses;
}

describe('criteria index', () => {
  it('finds the matching logs of each group, in order, whenever the group is added', () => {
    fc.assert(
      fc.property(
        fc.array(anyCriteria, { maxLength: 12 }),
        fc.array(anyCriteria, { maxLength: 3 }),
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        fc.array(anyLog, { maxLength: 20 }),
        fc.nat({ max: 20 }),
        (before, during, leaves, logs, pauses) => {
          // The index pauses after each log that it compares.
          const index = new CriteriaIndex(1);
          const groups = before.map((criteria) => ({ criteria, group: index.use(criteria) }));
          for (const [at, { group }] of groups.entries()) if (leaves[at]) index.release(group);
          const sweep = index.sweep();
          for (let swept = 0; swept < pauses; swept++) sweep.next();
          const cached = groups.filter((_, at) => !leaves[at]);
          const evaluation = index.evaluate(logs);
          for (let paused = 0; paused < pauses; paused++) evaluation.next();
          cached.push(...during.map((criteria) => ({ criteria, group: index.use(criteria) })));
          finish(evaluation);
          cached.push(...during.map((criteria) => ({ criteria, group: index.use(criteria) })));
          for (const { criteria, group } of cached) {
            const expected = logs.filter((log) => isMeant(criteria, log));
            assert.deepEqual(group.found ?? [], expected);
          }
          index.clear();
          for (const { group } of cached) assert.equal(group.found, undefined);
          for (const { group } of cached) index.release(group);
          assert.equal(index.size, 0);
        },
      ),
    );
  });

  it('pauses while it compares many criteria with a log', () => {
    const index = new CriteriaIndex();
    const log = { address: modelAddress(1), topics: [modelTopic(1)], json: '{}' };
    const values = Array.from({ length: 20_000 }, (_, at) => modelTopic(10 + at));
    // The log finds all of these criteria by values that they share, and matches none.
    for (const value of values)
      index.use({
        addresses: [modelAddress(1), modelAddress(2)],
        topics: [[modelTopic(1)], [modelTopic(2), value]],
      });
    assert.ok(finish(index.evaluate([log, log, log])) >= 2);
  });

  it('releases criteria at the same cost for any number of values, and sweeps their entries with pauses', async () => {
    const index = new CriteriaIndex();
    const log = { address: modelAddress(1), topics: [modelTopic(1)], json: '{}' };
    const topics = [Array.from({ length: 1_000 }, (_, at) => modelTopic(at))];
    const criteria = Array.from({ length: 20 }, (_, at) => ({
      addresses: [],
      topics: [[...topics.flat(), modelTopic(5_000 + at)]],
    }));
    const groups = criteria.map((one) => index.use(one));
    const releases = await countDeletes(() => {
      for (const group of groups) index.release(group);
    });
    assert.ok(releases <= 2 * groups.length, `${releases} entries`);
    assert.equal(index.size, 0);
    // Equal criteria that arrive before the entries are removed form a new group.
    const again = index.use(criteria[0] as LogCriteria);
    finish(index.evaluate([log]));
    assert.deepEqual(again.found, [log]);
    for (const group of groups) assert.equal(group.found, undefined);
    assert.equal(index.isStale, true);
    let pauses = 0;
    // Each entry is deleted, and 19 values that no other entry uses.
    assert.equal(
      await countDeletes(() => {
        pauses = finish(index.sweep());
      }),
      20 * 1_001 + 19,
    );
    assert.ok(pauses >= 20, `${pauses} pauses`);
    assert.equal(index.isStale, false);
    finish(index.evaluate([log]));
    assert.deepEqual(again.found, [log]);
  });

  it('evaluates equal criteria once, in any spelling', () => {
    const [one, two] = [modelAddress(1), modelAddress(2)];
    const index = new CriteriaIndex();
    const group = index.use({ addresses: [one, two], topics: [[], [modelTopic(1)]] });
    assert.equal(index.use({ addresses: [two, one, two], topics: [[], [modelTopic(1)]] }), group);
    assert.equal(index.size, 1);
    index.release(group);
    assert.equal(index.size, 1);
    index.release(group);
    assert.equal(index.size, 0);
  });

  it('returns different names for criteria that match different logs', () => {
    const topics = [[], [modelTopic(1)], [modelTopic(1)]];
    const all: LogCriteria[] = [
      { addresses: [], topics: [] },
      { addresses: [], topics: [[]] },
      { addresses: [], topics: [[], []] },
      { addresses: [], topics },
      { addresses: [modelAddress(1)], topics },
      { addresses: [], topics: topics.slice(1) },
      { addresses: [], topics: topics.slice(0, 2) },
    ];
    assert.equal(new Set(all.map(nameCriteria)).size, all.length);
  });
});
