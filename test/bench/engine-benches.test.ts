/** Short forms of the engine benches: they run, both sides give the same answers, and the output names the measurements. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GETH_SKIP } from '../geth/node/geth-program.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { runBench } from '../support/run-bench.ts';

const SHORT = { ROUNDS: '1', ROUND_MS: '60' } as const;

describe('benches against anvil', { skip: ANVIL_SKIP }, () => {
  test('bench anvil compares answers and measures every workload', async () => {
    const output = await runBench('anvil', ['--json'], { ...SHORT, BODIES: '4' });
    const [rounds = '', figures = ''] = output.trimEnd().split('\n');
    assert.deepEqual(Object.keys(JSON.parse(rounds)), [
      'chainId',
      'balanceOf',
      'quote',
      'multicall',
      'SLOAD',
      'estimate',
      'batch',
      'batch, 100000 owners',
      'getBalance',
      'getStorageAt',
      'getTransactionReceipt',
      'getBlockByNumber, full',
      'getLogs',
    ]);
    assert.match(
      figures,
      /^chainId [\d.]+, balanceOf [\d.]+, quote .*, batch .*, getLogs [\d.]+; (targets met|MISSED: )/,
    );
  });

  test('bench opcodes measures the requested instructions', async () => {
    const output = await runBench(
      'opcodes',
      ['--json', 'ADD', 'SWAP16', 'LOG4', 'JUMPI', 'STATICCALL'],
      SHORT,
    );
    const [rounds = '', figures = ''] = output.trimEnd().split('\n');
    assert.deepEqual(Object.keys(JSON.parse(rounds)).sort(), [
      'ADD',
      'JUMPI',
      'LOG4',
      'STATICCALL',
      'SWAP16',
    ]);
    assert.match(figures, /^geomean [\d.]+, lowest [\d.]+ \(\w+\)$/);
  });
});

test('bench start measures first starts and starts on an existing store', async () => {
  const output = await runBench('start', [], SHORT);
  assert.match(
    output,
    /first start \d+ ms, built-in networks \d+ ms, existing store \d+ ms; (targets met|MISSED: )/,
  );
});

test('bench fairness counts small calls from their due time', async () => {
  const output = await runBench('fairness', ['--json'], { ROUNDS: '1', ROUND_MS: '500' });
  const [rounds = ''] = output.trimEnd().split('\n');
  const { alone } = JSON.parse(rounds) as { alone: { answered: number; failed: number }[] };
  assert.equal((alone[0]?.answered ?? 0) + (alone[0]?.failed ?? 0), 500);
});

test('bench logs compares answers, and reports the size of the indexes', async () => {
  const output = await runBench('logs', ['--json'], { ...SHORT, LOGS: '5000' });
  const [rounds = '', figures = ''] = output.trimEnd().split('\n');
  const { ours, geth, indexBytes, storeBytes } = JSON.parse(rounds) as {
    readonly ours: Readonly<Record<string, readonly number[]>>;
    readonly geth: Readonly<Record<string, readonly number[]>>;
    readonly indexBytes: number;
    readonly storeBytes: number;
  };
  for (const times of Object.values(ours)) assert.equal(times.length, 1);
  for (const times of Object.values(geth)) assert.equal(times.length, GETH_SKIP === false ? 1 : 0);
  assert.ok(indexBytes > 0 && indexBytes < storeBytes, `${indexBytes} of ${storeBytes} bytes`);
  assert.match(figures, /indexes to the rest of an import [\d.]+; (targets met|MISSED: )/);
});

test('bench subscriptions delivers every block to all subscribers, on both sides', {
  skip: GETH_SKIP,
}, async () => {
  const output = await runBench('subscriptions', ['--json'], { ROUNDS: '1', BLOCKS: '2', SUBSCRIBERS: '20' });
  const [rounds = '', figures = ''] = output.trimEnd().split('\n');
  assert.deepEqual(Object.keys(JSON.parse(rounds)), ['geth', 'portcullis']);
  assert.match(figures, /^subscribers 20, .*portcullis p99 [\d.]+ ms/);
});
