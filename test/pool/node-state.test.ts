import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeState, explainOutage } from '../../src/pool/node-state.ts';
import type { Upstream } from '../../src/pool/upstream.ts';
import { ScriptedChain } from './support/scripted-chain.ts';
import { answer, createNode } from './support/scripted-node.ts';
import { setNode } from './support/set-node.ts';

const latest = new ScriptedChain({ length: 5 }).block(4);

function makeUpstream(change: (upstream: Upstream) => void, tracker: object = { latest }): Upstream {
  // Creation time is 0, because the file may be loaded long before the test runs.
  const { upstream } = createNode({ behaviour: answer('1'), tracker, now: () => 0 });
  setNode(upstream, { vote: 'votes' });
  change(upstream);
  return upstream;
}

const well = makeUpstream(() => {});
const away = makeUpstream((upstream) => {
  setNode(upstream, { missedPolls: 2 });
});
const other = makeUpstream((upstream) => {
  setNode(upstream, { standing: 'quarantined', mismatch: 'chain id 5, expected 1' });
});
const syncing = makeUpstream(
  (upstream) => {
    setNode(upstream, { vote: 'syncing' });
  },
  { latest, syncTarget: 90n },
);
const lagging = makeUpstream((upstream) => {
  setNode(upstream, { vote: 'lagging' });
});
const reserve = makeUpstream((upstream) => {
  setNode(upstream, { vote: 'lowerTier' });
});
const silent = makeUpstream((upstream) => {
  setNode(upstream, { standing: 'unverified', identityFault: { kind: 'timeout', message: 'no answer' } });
});
const refusing = makeUpstream((upstream) => {
  const message = 'the node refuses our credentials (HTTP 401)';
  setNode(upstream, { standing: 'unverified', identityFault: { kind: 'unauthorized', message } });
});
const fresh = makeUpstream(() => {}, {});
const SPLIT = 'no majority for a genesis block: 0x1, 0x2; set pool.genesisHash';
const disputed = makeUpstream((upstream) => {
  setNode(upstream, { standing: 'disputed', mismatch: `has ${SPLIT}` });
});
const limited = makeUpstream((upstream) => {
  upstream.health.pause(60_000);
});

test('describeState returns the state of a node with its reason', () => {
  const states = [
    well,
    away,
    other,
    syncing,
    lagging,
    reserve,
    silent,
    refusing,
    fresh,
    disputed,
    limited,
  ].map((upstream) => describeState(upstream, 0));
  assert.deepEqual(states, [
    { state: 'up' },
    { state: 'down', reason: 'does not answer' },
    { state: 'excluded', reason: 'is of another chain: chain id 5, expected 1' },
    { state: 'lagging', reason: 'is syncing: block 4 of 90' },
    { state: 'lagging', reason: 'is far behind: block 4' },
    { state: 'up', reason: 'is in reserve: a better tier is healthy' },
    { state: 'down', reason: 'does not answer' },
    { state: 'down', reason: 'does not report a chain id: it refuses our credentials (HTTP 401)' },
    { state: 'lagging', reason: 'has not reported a head' },
    { state: 'excluded', reason: `has ${SPLIT}` },
    { state: 'down', reason: 'is rate limited' },
  ]);
  const refused = makeUpstream((upstream) => {
    const fault = 'no connection to the node (ECONNREFUSED)';
    for (let poll = 0; poll < 2; poll++) upstream.apply({ kind: 'polled', isAnswered: false, fault });
  });
  assert.deepEqual(describeState(refused, 0), {
    state: 'down',
    reason: 'does not answer',
    detail: 'no connection to the node (ECONNREFUSED)',
  });
  assert.equal(explainOutage([refused]), 'the only node does not answer');
  refused.apply({ kind: 'polled', isAnswered: true });
  assert.equal(describeState(refused, 0).detail, undefined);
  assert.deepEqual(describeState(well, 1), { state: 'lagging', reason: 'is at block 4' });
});

test('explainOutage explains an outage of any number of nodes', () => {
  assert.equal(explainOutage([other]), 'the only node is of another chain: chain id 5, expected 1');
  assert.equal(
    explainOutage([syncing, away, silent, away]),
    '3 nodes do not answer, 1 node is syncing: block 4 of 90',
  );
  assert.equal(explainOutage([well]), 'the only node is at block 4');
  assert.equal(explainOutage([disputed, disputed]), `2 nodes have ${SPLIT}`);
  assert.equal(explainOutage([lagging, lagging]), '2 nodes are far behind: block 4');
  assert.equal(
    explainOutage([refusing, refusing]),
    '2 nodes do not report a chain id: each refuses our credentials (HTTP 401)',
  );
  const many = Array.from({ length: 20 }, (_, target) =>
    makeUpstream(
      (upstream) => {
        setNode(upstream, { vote: 'syncing' });
      },
      { latest, syncTarget: BigInt(target + 10) },
    ),
  );
  assert.equal(explainOutage(many).split(', ').length, 5, 'bounded');
});
