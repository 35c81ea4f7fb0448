import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOperator } from '../../src/pool/endpoint.ts';
import type { UpstreamOptions } from '../../src/pool/options.ts';

function operatorOf(url: string, operator?: string): string {
  const row = { url, ...(operator !== undefined && { operator }) };
  return findOperator(row as UpstreamOptions);
}

test('an operator is the host of its nodes, whatever their ports, paths and protocols', () => {
  assert.equal(operatorOf('https://node.example.org/v1/KEY'), 'node.example.org');
  assert.equal(operatorOf('wss://node.example.org:8546/v2'), 'node.example.org');
});

test('on loopback nodes of different ports are of different operators', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'node.localhost'])
    assert.notEqual(operatorOf(`http://${host}:8545`), operatorOf(`http://${host}:8546`), host);
});

test('the configuration names the operator', () => {
  assert.equal(operatorOf('http://10.0.0.1', 'team-a'), operatorOf('http://10.0.0.2', 'team-a'));
});
