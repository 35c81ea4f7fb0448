/** Short form of the proxy bench: every server answers every kind of row that it supports, and the output is complete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProxy } from '../support/proxy-process.ts';
import { runBench } from '../support/run-bench.ts';

const ROWS = [
  'different calls, 256 connections',
  'different calls, 3 nodes',
  'different calls, WebSocket',
  'chain id',
  'chain id, WebSocket',
  'receipts, 21 kB',
  'receipts, 1.15 MB',
  'batch of 100',
  'batch of 20, repeated',
];
const SETTINGS = {
  ROWS: ROWS.join(';'),
  ROUNDS: '1',
  ROUND_MS: '50',
  OPEN_MS: '200',
  STEADY_MS: '300',
} as const;

/** Lists the rows of the table in which a server has figures. */
function listRows(output: string, server: string): string[] {
  return output.split('\n').flatMap((line) => {
    const [name = '', ...cells] = line.split(/ {2,}/);
    return cells[0] === server && cells.length > 8 ? [name] : [];
  });
}

test('bench proxy measures all rows on all servers', async () => {
  const output = await runBench('proxy', [], SETTINGS);
  assert.deepEqual(listRows(output, 'portcullis'), ROWS);
  assert.deepEqual(
    listRows(output, 'bare'),
    ROWS.filter((name) => !/WebSocket|3 nodes/.test(name)),
  );
  assert.deepEqual(listRows(output, 'nginx'), findProxy('nginx') === undefined ? [] : ROWS);
  assert.match(output, /^receipts, 21 kB +\d+ +portcullis( +[\d.]+){4} +0$/m);
  assert.match(output, /^receipts, 21 kB +\d+ +portcullis \/ bare( +[\d.]+){3}$/m);
  assert.match(
    output,
    /^receipts, 21 kB at a fixed rate, p99 to the best peer's +[\d.]+ +<= 1 +(met|MISSED)$/m,
  );
  assert.match(output, /^event-loop delay .*: p50 [\d.]+ ms, p99 [\d.]+ ms, longest [\d.]+ ms/m);
  assert.match(output, /^chain id, CPU +[\d.]+ ms +<= 0.02 ms +(met|MISSED)$/m);
  assert.match(output, /^RSS with an embedded network +[\d.]+ MB +<= 180 MB +(met|MISSED)$/m);
});
