import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyError } from '../../../src/pool/errors/classify-error.ts';
import { findRule, RULES } from '../../../src/pool/errors/find-rule.ts';
import { readCases } from './fixtures.ts';

test('each rule matches by codes or by a pattern that ignores case and has no state', () => {
  for (const { client, codes, pattern, geth, kind } of RULES) {
    assert.ok(codes !== undefined || pattern !== undefined, client);
    assert.ok(codes === undefined || codes.length > 0, client);
    if (pattern !== undefined) assert.equal(pattern.flags, 'i', pattern.source);
    if (geth !== undefined) assert.equal(kind, 'failed', geth);
  }
});

test('no pattern has an unbounded repetition', () => {
  for (const { pattern } of RULES) {
    if (pattern !== undefined) assert.doesNotMatch(pattern.source, /[^\\][*+]|\{\d+,\}/, pattern.source);
  }
});

test('a rule with only a code is behind all patterns for that code', () => {
  const decided = new Set<number>();
  for (const { codes, pattern, client } of RULES) {
    for (const code of codes ?? []) {
      assert.ok(!decided.has(code), `${client}: ${code} has been decided above`);
      if (pattern === undefined) decided.add(code);
    }
  }
});

test('upper-case and lower-case messages have the same verdict', () => {
  for (const { error, method, expect } of readCases()) {
    if (expect.kind === 'reverted') continue;
    for (const message of [error.message.toUpperCase(), error.message.toLowerCase()]) {
      assert.equal(classifyError({ ...error, message }, method).kind, expect.kind, message);
    }
  }
});

test('only fixtures of unknown errors match no rule', () => {
  for (const { error, expect } of readCases()) {
    if (expect.kind === 'unknown')
      assert.equal(findRule(error.code, error.message, true), undefined, error.message);
  }
});
