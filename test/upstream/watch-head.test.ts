import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vote } from '../../src/upstream/heads/electorate.ts';
import { watchHead } from '../../src/upstream/watch-head.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { ScriptedChain } from './support/scripted-chain.ts';
import { answer, createNode } from './support/scripted-node.ts';

const chain = new ScriptedChain({ length: 10 });

function createWatch() {
  const log = createRecordingLog();
  const shown: bigint[] = [];
  const showBlock = async (number: bigint): Promise<void> => void shown.push(number);
  const tracker = { latest: chain.block(4), syncTarget: 9n, showBlock };
  const { upstream } = createNode({ behaviour: answer('1'), name: 'node', tracker });
  const watch = watchHead('main', log, [upstream], () => ({ head: chain.block(9) }));
  return { log, shown, upstream, watch };
}

test('each change of a vote is one line, with the reason', () => {
  const { log, upstream, watch } = createWatch();
  const votes: Vote[] = ['silent', 'votes', 'syncing', 'lagging', 'lowerTier', 'votes'];
  for (const [i, vote] of votes.entries()) {
    upstream.vote = vote;
    if (i > 0) watch.onVote(upstream, votes[i - 1] as Vote);
  }
  const fields = { network: 'main', upstream: 'node', tier: 1, block: '4', head: '9' };
  const behind = { level: 'warn', ...fields };
  const message = 'upstream has no vote in the head';
  assert.deepEqual(
    log.lines.map((line) => JSON.parse(line)),
    [
      { ...behind, reason: 'it is syncing: block 4 of 9', message },
      { ...behind, reason: 'it is far behind: block 4', message },
      { level: 'info', ...fields, message: 'upstream is in reserve: a better tier decides the head' },
      { level: 'info', ...fields, message: 'upstream has a vote in the head again' },
    ],
  );
});

test('a head that is not served any more is an error with the reason, and its return is told', () => {
  const { log, upstream, watch } = createWatch();
  upstream.missedPolls = 2;
  watch.onExpiry(chain.block(9), true);
  watch.onExpiry(chain.block(9), false);
  const [gone, back] = log.lines.map((line) => JSON.parse(line));
  assert.deepEqual([gone.level, gone.head, gone.reason], ['error', '9', 'the only node does not answer']);
  assert.equal(back.level, 'info');
});

test('a node that seems to be far ahead is asked for the block', () => {
  const { shown, upstream, watch } = createWatch();
  watch.onDoubt(upstream, 7n);
  assert.deepEqual(shown, [7n]);
});
