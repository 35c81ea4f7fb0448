import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBlockLogs } from '../../../../src/chains/upstream/checks/read-block-logs.ts';
import { makeBlock } from '../../../support/block-tree.ts';

const LOGS = 10_000;
const block = makeBlock('a', 5n);
const log = (index: number, data: string): Readonly<Record<string, unknown>> => ({
  address: `0x${'AA'.repeat(20)}`,
  topics: [`0x${'Bb'.repeat(32)}`],
  data,
  blockNumber: '0x5',
  blockHash: block.hash,
  transactionHash: `0x${'11'.repeat(32)}`,
  transactionIndex: '0x0',
  logIndex: `0x${index.toString(16)}`,
  removed: true,
});

describe('reading the logs of a block', () => {
  it('runs in steps, however many logs there are', () => {
    const text = JSON.stringify([{ logs: Array.from({ length: LOGS }, (_, index) => log(index, '0x')) }]);
    const work = readBlockLogs(text, block);
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps++;
    assert.ok(steps >= LOGS / 32, `${steps} steps`);
    assert.equal(step.value.logs.length, LOGS);
  });

  it('returns addresses and topics in lower case, and logs that are not removed', () => {
    const work = readBlockLogs(JSON.stringify([[log(0, '0x')]]), block);
    let step = work.next();
    while (step.done !== true) step = work.next();
    const [only] = step.value.logs;
    assert.equal(only?.address, `0x${'aa'.repeat(20)}`);
    assert.deepEqual(only?.topics, [`0x${'bb'.repeat(32)}`]);
    assert.ok(only?.json.endsWith(',"removed":false}'));
  });
});
