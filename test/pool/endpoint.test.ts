import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOperator } from '../../src/pool/endpoint.ts';
import type { UpstreamOptions } from '../../src/pool/options.ts';

function operatorOf(url: string, operator?: string): string {
  const row = { url, ...(operator !== undefined && { operator }) };
  return findOperator(row as UpstreamOptions);
}

test('the operator of a node is the host of its URL, whatever its port, path and protocol', () => {
  assert.equal(operatorOf('https://node.example.org/v1/KEY'), 'node.example.org');
  assert.equal(operatorOf('wss://node.example.org:8546/v2'), 'node.example.org');
});

test('loopback nodes with different ports have different operators', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'node.localhost'])
    assert.notEqual(operatorOf(`http://${host}:8545`), operatorOf(`http://${host}:8546`), host);
});

test('a configured operator replaces the host', () => {
  assert.equal(operatorOf('http://10.0.0.1', 'team-a'), operatorOf('http://10.0.0.2', 'team-a'));
});
