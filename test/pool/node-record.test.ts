import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  applyEvent,
  type ChainComparison,
  isAway,
  listEffects,
  type NodeEvent,
  type NodeRecord,
  UNKNOWN_NODE,
} from '../../src/pool/node-record.ts';

const IDENTITY = { chainId: 1n, genesisHash: '0x1', clientVersion: 'geth', knowsHashParameters: true };

const verdicts: fc.Arbitrary<ChainComparison> = fc.constantFrom<ChainComparison>(
  { standing: 'verified' },
  { standing: 'quarantined' },
  { standing: 'quarantined', mismatch: 'chain id 2' },
  { standing: 'disputed', mismatch: 'has another genesis block' },
);
const events: fc.Arbitrary<NodeEvent> = fc.oneof(
  fc.record({ kind: fc.constant('polled' as const), isAnswered: fc.boolean() }),
  fc.constant<NodeEvent>({ kind: 'identified', identity: IDENTITY }),
  fc.constant<NodeEvent>({ kind: 'notIdentified', fault: { kind: 'timeout', message: 'no answer' } }),
  fc.constant<NodeEvent>({ kind: 'startTimeExceeded' }),
  fc.constant<NodeEvent>({ kind: 'returned' }),
  fc.constant<NodeEvent>({ kind: 'mismatched' }),
  fc.constant<NodeEvent>({ kind: 'quarantined', evidence: 'returned a refuted answer' }),
  fc.record({ kind: fc.constant('classified' as const), verdict: verdicts, isIdentified: fc.boolean() }),
  fc.record({ kind: fc.constant('compared' as const), isOnFork: fc.boolean() }),
  fc.record({ kind: fc.constant('headReported' as const), number: fc.bigInt(0n, 9n) }),
  fc.record({ kind: fc.constant('voted' as const), vote: fc.constantFrom('votes', 'lagging') }),
  fc.record({
    kind: fc.constant('cordonChanged' as const),
    cordon: fc.constantFrom('none', 'leaving', 'cordoned'),
  }),
);

/** Members that each event may change. */
const CHANGES: Readonly<Record<NodeEvent['kind'], readonly (keyof NodeRecord)[]>> = {
  polled: ['missedPolls'],
  identified: ['identity', 'identityFault'],
  notIdentified: ['identityFault', 'isAwaited'],
  startTimeExceeded: ['isAwaited'],
  returned: ['standing', 'isAwaited'],
  mismatched: ['hasMismatch'],
  quarantined: ['evidence'],
  classified: ['standing', 'mismatch', 'evidence', 'hasMismatch', 'isAwaited'],
  compared: ['isOnFork'],
  headReported: ['lastHead'],
  voted: ['vote'],
  cordonChanged: ['cordon'],
};

describe('NodeRecord', () => {
  it('changes only by its events, and lists the effects of each change', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 40 }), (happened) => {
        let record = Object.freeze(UNKNOWN_NODE);
        for (const event of happened) {
          const next = Object.freeze(applyEvent(record, event));
          for (const member of Object.keys(record) as (keyof NodeRecord)[])
            if (!CHANGES[event.kind].includes(member))
              assert.equal(next[member], record[member], `${event.kind} changes ${member}`);
          assert.ok(record.isAwaited || !next.isAwaited, 'a node is awaited once');
          if (next.standing !== record.standing) assert.equal(next.isAwaited, false);
          const effects = listEffects(record, next);
          assert.equal(effects.includes('standingChanged'), next.standing !== record.standing);
          assert.equal(effects.includes('isAway'), isAway(next) && !isAway(record));
          assert.equal(effects.includes('isBack'), isAway(record) && !isAway(next));
          assert.equal(effects.includes('mismatchEnded'), record.hasMismatch && !next.hasMismatch);
          record = next;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('reports a node as away after two consecutive missed polls, until a poll is answered', () => {
    const poll = (record: NodeRecord, isAnswered: boolean): NodeRecord =>
      applyEvent(record, { kind: 'polled', isAnswered });
    let record = UNKNOWN_NODE;
    const seen = [false, true, false, false, false, true].map((isAnswered) => {
      record = poll(record, isAnswered);
      return isAway(record);
    });
    assert.deepEqual(seen, [false, false, false, true, true, false]);
  });

  it('retains the evidence of a quarantine until the next comparison with the chain', () => {
    const verified = applyEvent(UNKNOWN_NODE, { kind: 'classified', verdict: { standing: 'verified' } });
    const evident = applyEvent(verified, { kind: 'quarantined', evidence: 'returned a refuted answer' });
    assert.equal(evident.standing, 'verified', 'the membership decides when the quarantine begins');
    const held = applyEvent(evident, { kind: 'classified', verdict: { standing: 'quarantined' } });
    assert.deepEqual([held.standing, held.evidence], ['quarantined', 'returned a refuted answer']);
    const ended = applyEvent(held, { kind: 'classified', verdict: { standing: 'verified' } });
    assert.deepEqual([ended.standing, ended.evidence], ['verified', undefined]);
  });

  it('makes a returning node unverified, but leaves a quarantined one unchanged', () => {
    for (const [standing, after] of [
      ['verified', 'unverified'],
      ['quarantined', 'quarantined'],
    ] as const) {
      const record = applyEvent(UNKNOWN_NODE, { kind: 'classified', verdict: { standing } });
      assert.equal(applyEvent(record, { kind: 'returned' }).standing, after);
    }
  });
});
