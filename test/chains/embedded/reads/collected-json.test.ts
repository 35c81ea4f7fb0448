import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonStream } from '../../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import { CollectedJson } from '../../../../src/chains/embedded/reads/collected-json.ts';
import { AnswerMemory } from '../../../../src/util/answer-memory.ts';
import { SharedBudget } from '../../../../src/util/shared-budget.ts';

const PART = 'é'.repeat(50_000);
const MiB = 1024 * 1024;

test('CollectedJson returns short JSON as one string, without using the budget', () => {
  const budget = new SharedBudget(MiB, 1);
  const json = new CollectedJson(new AnswerMemory(budget, 'a'));
  json.add('["');
  json.add('short"]');
  assert.equal(json.finish(), '["short"]');
  assert.equal(json.length, 9);
  assert.equal(budget.used, 0);
});

test('CollectedJson streams long JSON, and reserves memory while it grows', async () => {
  const budget = new SharedBudget(4 * MiB, 1);
  const memory = new AnswerMemory(budget, 'a');
  const json = new CollectedJson(memory);
  for (let i = 0; i < 20; i++) json.add(PART);
  assert.equal(json.length, 1_000_000);
  assert.ok(budget.used > 1_000_000, 'bytes, of which a character may have two');
  const stream = json.finish() as JsonStream;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.pieces) pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), PART.repeat(20));
  assert.equal(stream.reservedBytes, 2_000_000);
  memory.release();
  assert.equal(budget.used, 0);
});

test('CollectedJson refuses an answer without free memory before it is complete', () => {
  const json = new CollectedJson(new AnswerMemory(new SharedBudget(MiB, 1), 'a'));
  const grow = (): void => {
    for (let i = 0; i < 100; i++) json.add(PART);
  };
  assert.throws(grow, (error) => error instanceof ChainError && error.kind === 'busy');
  assert.ok(json.length < 2 * MiB);
});
