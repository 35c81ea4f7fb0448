import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedLogger } from '../../src/observe/bounded-logger.ts';
import type { Vote } from '../../src/pool/heads/electorate.ts';
import { watchFalls, watchHead } from '../../src/pool/watch-head.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { ScriptedChain } from './support/scripted-chain.ts';
import { answer, createNode } from './support/scripted-node.ts';
import { setNode } from './support/set-node.ts';

const chain = new ScriptedChain({ length: 10 });

function createWatch() {
  const log = createRecordingLog();
  const shown: bigint[] = [];
  const showBlock = async (number: bigint): Promise<void> => void shown.push(number);
  const tracker = { latest: chain.block(4), syncTarget: 9n, showBlock };
  const { upstream } = createNode({ behaviour: answer('1'), name: 'node', tier: 2, tracker });
  const { upstream: better } = createNode({ behaviour: answer('1'), name: 'better', tracker });
  const watch = watchHead('main', log, [better, upstream], { head: chain.block(8) });
  return { log, shown, upstream, better, watch };
}

test('each change of a vote is logged in one line with its reason', () => {
  const { log, upstream, watch } = createWatch();
  const votes: Vote[] = ['silent', 'votes', 'syncing', 'lagging', 'lowerTier', 'votes'];
  for (const [i, vote] of votes.entries()) {
    setNode(upstream, { vote });
    if (i > 0) watch.onVote(upstream, votes[i - 1] as Vote, chain.block(9));
  }
  const fields = { network: 'main', upstream: 'node', tier: 2, block: '4', head: '8' };
  const behind = { level: 'warn', ...fields };
  const message = 'upstream has no vote in the head';
  assert.deepEqual(
    log.lines.map((line) => JSON.parse(line)),
    [
      { ...behind, reason: 'it is syncing: block 4 of 9', message },
      { ...behind, reason: 'it is far behind: block 4, the leader is at 9', message },
      { level: 'info', ...fields, message: 'upstream is in reserve: a better tier decides the head' },
      { level: 'info', ...fields, message: 'upstream has a vote in the head' },
    ],
  );
});

test('a head that is no longer served is logged as an error with its reason, and its return too', () => {
  const { log, upstream, better, watch } = createWatch();
  setNode(upstream, { missedPolls: 2 });
  setNode(better, { missedPolls: 2 });
  watch.onExpiry(chain.block(9), 'age');
  watch.onExpiry(chain.block(9), undefined);
  const [gone, back] = log.lines.map((line) => JSON.parse(line));
  assert.deepEqual([gone.level, gone.head, gone.reason], ['error', '9', '2 nodes do not answer']);
  assert.equal(back.level, 'info');
});

test('a node that claims to be far ahead has to show the block', () => {
  const { shown, upstream, watch } = createWatch();
  watch.onUnlinked(upstream, 7n);
  assert.deepEqual(shown, [7n]);
});

test('a node is logged as in reserve once a node of a better tier has a block', () => {
  const { log, upstream, better, watch } = createWatch();
  setNode(upstream, { vote: 'lowerTier' });
  setNode(better, { vote: 'lagging' });
  watch.onVote(upstream, 'silent', chain.block(9));
  assert.deepEqual(log.lines, []);
  setNode(better, { vote: 'votes' });
  watch.onVote(upstream, 'silent', chain.block(9));
  assert.equal(log.lines.length, 1);
});

test('log lines about votes are bounded for each node, however often votes change', () => {
  const { upstream } = createWatch();
  const log = createRecordingLog();
  const bounded = new BoundedLogger(log, 60, () => 0);
  const watch = watchHead('main', bounded, [upstream], { head: chain.block(9) });
  for (let i = 0; i < 1_000; i++) {
    setNode(upstream, { vote: 'lagging' });
    watch.onVote(upstream, 'votes', undefined);
    setNode(upstream, { vote: 'votes' });
    watch.onVote(upstream, 'lagging', undefined);
  }
  assert.equal(log.lines.length, 12, 'a tenth of 60 lines, of each of two messages');
});

test('a fallen head of the only node is logged once per head, with the remedy', () => {
  const log = createRecordingLog();
  const node = (height: number) =>
    createNode({ behaviour: answer('1'), name: 'lone', tracker: { latest: chain.block(height) } }).upstream;
  const served = { head: chain.block(5) };
  const lone = watchFalls('main', log, [node(0)], served);
  lone(node(5));
  assert.deepEqual(log.lines, [], 'it is back');
  lone(node(0));
  lone(node(1));
  served.head = chain.block(6);
  lone(node(2));
  assert.deepEqual(
    log.lines.map((line) => JSON.parse(line).message.split(';')[0]),
    ['the node went back from block 5 to 0', 'the node went back from block 6 to 2'],
  );
  assert.match(log.lines[0] ?? '', /pool\.development: true/);
  watchFalls('main', log, [node(0), node(9)], served)(node(0));
  assert.equal(log.lines.length, 2, 'others have the head');
});
