import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { BatchAnswer } from '../../src/gateway/batch-answer.ts';
import type { BatchItem } from '../../src/rpc/envelope.ts';
import { streamParts } from '../../src/rpc/text-pieces.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { SharedBudget } from '../../src/util/shared-budget.ts';

const createMemory = (): AnswerMemory => new AnswerMemory(new SharedBudget(1e9, 0.5), 'p');

/** A response of this size, whole or in pieces, that is ready after a number of turns. */
const response = fc.record({
  bytes: fc.integer({ min: 2, max: 300 }),
  pieces: fc.integer({ min: 0, max: 5 }),
  slots: fc.nat(30),
});

function encodeResponse(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`;
}

async function waitTurns(slots: number): Promise<void> {
  for (let i = 0; i < slots; i++) await Promise.resolve();
}

function createStream(text: string, count: number): JsonStream & { isCancelled: boolean } {
  const bytes = Buffer.from(text);
  const size = Math.ceil(bytes.length / count);
  const stream = {
    isCancelled: false,
    cancel: (): void => {
      stream.isCancelled = true;
    },
    pieces: (async function* () {
      for (let at = 0; at < bytes.length; at += size) {
        await waitTurns(2);
        yield bytes.subarray(at, at + size);
      }
    })(),
  };
  return stream;
}

test('the cut is at the same item as with whole responses in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 1, maxLength: 20 }),
      fc.nat(2_000),
      async (all, limit) => {
        const items = all.map((_, id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
        const answer = new BatchAnswer(items, limit, createMemory());
        await Promise.all(
          all.map(async ({ bytes, pieces, slots }, position) => {
            await waitTurns(slots);
            const text = encodeResponse(bytes);
            if (pieces === 0) answer.put(position, text);
            else await answer.collect(position, createStream(text, pieces));
          }),
        );
        let sum = 0;
        const expected = all.map(({ bytes }) => {
          sum += bytes + 1;
          return sum <= limit ? bytes : undefined;
        });
        const joined = JSON.parse(answer.join() as string) as unknown[];
        assert.deepEqual(
          joined.map((value) => (typeof value === 'string' ? value.length + 2 : undefined)),
          expected,
        );
        assert.equal(answer.cut, expected.includes(undefined) ? expected.indexOf(undefined) : all.length);
      },
    ),
  );
});

test('a stream that falls behind the cut while it is collected is cancelled at once', async () => {
  const items = [0, 1].map((id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
  const answer = new BatchAnswer(items, 100, createMemory());
  const stream = createStream(encodeResponse(90), 2);
  const collected = answer.collect(1, stream);
  answer.put(0, encodeResponse(99));
  await collected;
  assert.equal(stream.isCancelled, true);
  assert.equal(answer.cut, 1);
});

test('the limit counts bytes, not characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom('a', 'é', '€', '𝄞', '€'.repeat(5_000)), { maxLength: 20 }), {
        minLength: 1,
      }),
      fc.oneof(fc.nat(300), fc.nat(100_000)),
      (all, limit) => {
        const items = all.map((_, id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
        const answer = new BatchAnswer(items, limit, createMemory());
        let bytes = 0;
        let fitting = 0;
        for (const [position, characters] of all.entries()) {
          const response = JSON.stringify(characters.join(''));
          answer.put(position, response);
          bytes += Buffer.byteLength(response) + 1;
          if (bytes <= limit) fitting++;
        }
        assert.equal(answer.cut, fitting);
      },
    ),
  );
});

/** Creates a whole response, of which no part is outstanding. */
function createWhole(bytes: number): JsonStream & { isCancelled: boolean } {
  const text = encodeResponse(bytes);
  const whole = {
    ...streamParts([text], bytes / 2),
    length: bytes,
    isCancelled: false,
    cancel: (): void => {
      whole.isCancelled = true;
    },
  };
  return whole;
}

async function read({ pieces }: JsonStream): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const budgeted = fc.record({
  bytes: fc.integer({ min: 1_000, max: 100_000 }),
  form: fc.constantFrom('text', 'pieces', 'whole' as const),
  slots: fc.nat(30),
});

test('batches stay within the memory budget and release it; responses without memory become errors', async () => {
  const encodeId = (id: number): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] });
  await fc.assert(
    fc.asyncProperty(
      fc.array(budgeted, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 600_000 }),
      fc.integer({ min: 1_000, max: 1_000_000 }),
      async (all, room, limit) => {
        const budget = new SharedBudget(room, 1);
        const items = all.map((_, id) => encodeId(id));
        const answer = new BatchAnswer(items, limit, new AnswerMemory(budget, 'p'));
        await Promise.all(
          all.map(async ({ bytes, form, slots }, position) => {
            await waitTurns(slots);
            if (form === 'text') answer.put(position, encodeResponse(bytes));
            else if (form === 'whole') answer.put(position, createWhole(bytes));
            else await answer.collect(position, createStream(encodeResponse(bytes), 5));
            assert.ok(budget.used <= room);
          }),
        );
        const joined = answer.join();
        assert.equal(budget.used, typeof joined === 'string' ? 0 : (joined.reservedBytes ?? 0));
        const text = typeof joined === 'string' ? joined : await read(joined);
        const values = JSON.parse(text) as (string | { id: number; error: { code: number } })[];
        let reserved = 0;
        for (const [position, value] of values.entries()) {
          const { bytes, form } = all[position] as (typeof all)[number];
          if (typeof value === 'string') {
            assert.equal(value.length + 2, bytes);
            reserved += form === 'whole' ? bytes / 2 : bytes;
          } else {
            assert.equal(value.id, position);
            assert.equal(value.error.code, position < answer.cut ? -32005 : -32003);
          }
        }
        // Whatever was dropped, the answer reserves no more than the budget allows, apart from the uncounted part.
        assert.ok(reserved <= room + 16 * 1024);
        if (typeof joined !== 'string') budget.giveBack('p', joined.reservedBytes ?? 0);
        assert.equal(budget.used, 0);
      },
    ),
  );
});

test('a whole response is read together with the answer, and cancelled with it', async () => {
  const items = [0, 1].map((id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
  const budget = new SharedBudget(1_000_000, 1);
  const answer = new BatchAnswer(items, 1_000_000, new AnswerMemory(budget, 'p'));
  const whole = createWhole(400_000);
  answer.put(0, whole);
  answer.put(1, '1');
  // Half of the bytes sent, in steps; the first step is not counted.
  assert.equal(budget.used, 12 * 16 * 1024);
  const joined = answer.join();
  assert.ok(typeof joined !== 'string');
  assert.equal(await read(joined), `[${encodeResponse(400_000)},1]`);
  joined.cancel();
  assert.equal(whole.isCancelled, true);
});

test('a whole response behind the cut is cancelled and releases its memory', () => {
  const items = [0, 1, 2].map((id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
  const budget = new SharedBudget(1_000_000, 1);
  const answer = new BatchAnswer(items, 500_000, new AnswerMemory(budget, 'p'));
  const [late, later] = [createWhole(400_000), createWhole(400_000)];
  answer.put(2, late);
  answer.put(0, encodeResponse(100_000));
  assert.deepEqual([answer.cut, late.isCancelled], [2, true]);
  answer.put(2, later);
  assert.equal(later.isCancelled, true);
  answer.abandon();
  assert.equal(budget.used, 0);
});
