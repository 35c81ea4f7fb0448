import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Findings } from '../../../packages/proofs/findings.ts';

function evidenceOf(...values: readonly unknown[]): string | undefined {
  const findings = new Findings();
  findings.contradict('transactions', 'they are others', values);
  return findings.list[0]?.evidence;
}

test('long evidence is stored as a hash, which is equal only for equal evidence', () => {
  const claim = 'A'.repeat(1_000_000);
  const evidence = evidenceOf(claim, '0x1');
  assert.match(String(evidence), /^0x[0-9a-f]{64}$/);
  assert.equal(evidenceOf(claim.toLowerCase(), '0x1'), evidence);
  assert.notEqual(evidenceOf(claim, '0x2'), evidence);
  assert.equal(evidenceOf('0xAB', 12n, null), '0xab 12 null');
});

test('evidence may be any JSON value', () => {
  for (const text of ['{"toString":1}', '[[{"valueOf":"x"}]]', '{"toString":null,"valueOf":null}'])
    assert.equal(evidenceOf(JSON.parse(text)), text.toLowerCase());
});
