import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BatchAnswer } from '../../src/gateway/batch-answer.ts';
import type { JsonStream } from '../../src/primitives/json-result.ts';
import type { BatchItem } from '../../src/rpc/envelope.ts';

/** A response of this many bytes, whole or in pieces, ready after so many turns. */
const response = fc.record({
  bytes: fc.integer({ min: 2, max: 300 }),
  pieces: fc.integer({ min: 0, max: 5 }),
  turns: fc.nat(30),
});

function encodeResponse(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`;
}

async function waitTurns(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await Promise.resolve();
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

test('the cut is where it would be if the responses came whole and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 1, maxLength: 20 }),
      fc.nat(2_000),
      async (all, limit) => {
        const items = all.map((_, id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
        const answer = new BatchAnswer(items, limit);
        await Promise.all(
          all.map(async ({ bytes, pieces, turns }, position) => {
            await waitTurns(turns);
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

test('a response that falls behind the cut while it comes in is cancelled at once', async () => {
  const items = [0, 1].map((id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
  const answer = new BatchAnswer(items, 100);
  const stream = createStream(encodeResponse(90), 2);
  const collected = answer.collect(1, stream);
  answer.put(0, encodeResponse(99));
  await collected;
  assert.equal(stream.isCancelled, true);
  assert.equal(answer.cut, 1);
});

test('bytes count, however many characters they are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom('a', 'é', '€', '𝄞'), { maxLength: 20 }), { minLength: 1 }),
      fc.nat(300),
      (all, limit) => {
        const items = all.map((_, id): BatchItem => ({ kind: 'call', id: `${id}`, method: 'm', params: [] }));
        const answer = new BatchAnswer(items, limit);
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
