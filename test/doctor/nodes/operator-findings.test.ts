import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeReport } from '../../../src/doctor/nodes/network-report.ts';
import { listOperatorFindings } from '../../../src/doctor/nodes/operator-findings.ts';
import { upstreamsSchema } from '../../../src/pool/options.ts';

type Row = { readonly url: string; readonly operator?: string; readonly client?: string };

/** Returns the problems of nodes with these URLs, all of them usable and of the same chain. */
function problemsOf(rows: readonly Row[]): string[] {
  const upstreams = upstreamsSchema.parse(rows.map(({ client: _, ...row }) => row));
  const nodes = rows.map(({ client = 'Geth/v1' }, i) => {
    const identity = { chainId: 1n, genesisHash: '0x11', clientVersion: client, knowsHashParameters: true };
    return { examination: { name: `n${i}`, answers: true, identity }, standing: 'usable', lag: 0 };
  }) as unknown as NodeReport[];
  return listOperatorFindings(upstreams, nodes).map(({ severity, problem }) => `${severity}: ${problem}`);
}

test('nodes of one host count as one operator, and the report says so', () => {
  const found = problemsOf([
    { url: 'http://10.0.0.1:8545' },
    { url: 'ws://10.0.0.1:8546' },
    { url: 'http://10.0.0.2:8545' },
  ]);
  assert.equal(found.length, 1);
  assert.match(String(found[0]), /^note: n0 and n1 have the same host/);
});

test('the HTTP and the WebSocket URL of one node on this machine may be one node', () => {
  const pair = [{ url: 'http://127.0.0.1:8545' }, { url: 'ws://127.0.0.1:8546' }];
  assert.match(problemsOf(pair).join(), /^warning: n0 and n1 may be one node with two URLs/);
  const samePort = [{ url: 'http://127.0.0.1:8545' }, { url: 'ws://127.0.0.1:8545' }];
  assert.match(problemsOf(samePort).join(), /^note: n0 and n1 have the same host/);
});

test('separate nodes are not reported', () => {
  for (const second of [
    { url: 'http://127.0.0.1:8546' },
    { url: 'ws://127.0.0.1:8546', client: 'erigon/v3' },
    { url: 'ws://127.0.0.2:8546' },
    { url: 'ws://127.0.0.1:8546', operator: 'other' },
  ]) {
    assert.deepEqual(problemsOf([{ url: 'http://127.0.0.1:8545' }, second]), []);
  }
});
