import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { runBatch } from '../../src/gateway/batch.ts';
import type { BatchItem } from '../../src/rpc/envelope.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { SharedBudget } from '../../src/util/shared-budget.ts';

function calls(count: number): BatchItem[] {
  return Array.from({ length: count }, (_, i) => ({ kind: 'call', id: `${i}`, method: 'm', params: [] }));
}

const inTime = (): RequestScope => new RequestScope(performance.now() + 60_000);
const createMemory = (): AnswerMemory => new AnswerMemory(new SharedBudget(1e9, 0.5), 'p');
const idOf = (item: BatchItem): string => (item.kind === 'notification' ? '' : item.id);
const codesOf = (body: JsonResult): unknown[] =>
  (JSON.parse(body as string) as { id: number; error?: { code: number } }[]).map(({ id, error }) => [
    id,
    error?.code,
  ]);

test('at most the allowed number of items run concurrently, and the answers are in order', async () => {
  let running = 0;
  let most = 0;
  const body = await runBatch(
    calls(50),
    async (item) => {
      most = Math.max(most, ++running);
      for (let slots = 50 - Number(idOf(item)); slots > 0; slots--) await Promise.resolve();
      running--;
      return `{"id":${idOf(item)}}`;
    },
    { concurrency: 7, answerBytes: 1_000_000 },
    inTime(),
    createMemory(),
  );
  assert.equal(most, 7);
  assert.deepEqual(
    codesOf(body).map((entry) => (entry as [number])[0]),
    Array.from({ length: 50 }, (_, i) => i),
  );
});

test('every item from the one that exceeds the limit on gets an error, and the rest is not started', async () => {
  let started = 0;
  const body = await runBatch(
    calls(100),
    (item) => {
      started++;
      return `{"id":${idOf(item)},"pad":"${'é'.repeat(100)}"}`;
    },
    { concurrency: 4, answerBytes: 1_000 },
    inTime(),
    createMemory(),
  );
  assert.ok(started < 12, `${started} items were started`);
  assert.deepEqual(codesOf(body), [
    ...Array.from({ length: 4 }, (_, i) => [i, undefined]),
    ...Array.from({ length: 96 }, (_, i) => [i + 4, -32003]),
  ]);
});

test('the cut depends on the order of the items, not on the order in which they complete', async () => {
  const body = await runBatch(
    calls(3),
    async (item) => {
      for (let slots = 10 * (3 - Number(idOf(item))); slots > 0; slots--) await Promise.resolve();
      return `{"id":${idOf(item)},"pad":"${'a'.repeat(300)}"}`;
    },
    { concurrency: 3, answerBytes: 700 },
    inTime(),
    createMemory(),
  );
  assert.deepEqual(codesOf(body), [
    [0, undefined],
    [1, undefined],
    [2, -32003],
  ]);
});

test('notifications run without a response, and a batch of notifications has an empty answer', async () => {
  const notification: BatchItem = { kind: 'notification', method: 'm', params: [] };
  let ran = 0;
  const run = (item: BatchItem): string | Promise<undefined> => {
    if (item.kind !== 'notification') return `{"id":${idOf(item)}}`;
    ran++;
    return Promise.resolve(undefined);
  };
  const limits = { concurrency: 2, answerBytes: 1_000 };
  assert.equal(
    await runBatch([notification, ...calls(1), notification], run, limits, inTime(), createMemory()),
    '[{"id":0}]',
  );
  assert.equal(await runBatch([notification, notification], run, limits, inTime(), createMemory()), '');
  assert.equal(ran, 4);
});

test('items that never wait yield to the event loop', async () => {
  let slots = 0;
  let isDone = false;
  const count = (): void => {
    slots++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await runBatch(
    calls(20),
    (item) => {
      const end = performance.now() + 4;
      while (performance.now() < end);
      return `{"id":${idOf(item)}}`;
    },
    { concurrency: 16, answerBytes: 1_000_000 },
    inTime(),
    createMemory(),
  );
  isDone = true;
  assert.ok(slots >= 2, `${slots} turns of the event loop`);
});

test('no further item is started without memory for a response', async () => {
  let begun = 0;
  const budget = new SharedBudget(100_000, 1);
  const body = await runBatch(
    calls(10),
    async (item) => {
      begun++;
      await Promise.resolve();
      return `{"id":${idOf(item)},"pad":"${'a'.repeat(40_000)}"}`;
    },
    { concurrency: 1, answerBytes: 1_000_000 },
    inTime(),
    new AnswerMemory(budget, 'p'),
  );
  assert.equal(begun, 3);
  assert.equal(budget.used, 0);
  const expected = Array.from({ length: 10 }, (_, id) => [id, id < 2 ? undefined : -32005]);
  assert.deepEqual(codesOf(body), expected);
});
