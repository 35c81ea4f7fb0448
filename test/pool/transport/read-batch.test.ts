import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { type BatchBounds, findBatchBounds } from '../../../src/pool/transport/answer-bounds.ts';
import { type NodeBatchAnswer, readBatch } from '../../../src/pool/transport/read-batch.ts';

function boundsOf(calls: number): BatchBounds {
  return findBatchBounds(
    new Array(calls).fill({ method: 'eth_call', params: '[]' }),
    Number.POSITIVE_INFINITY,
  );
}

type Replies = Pick<NodeBatchAnswer, 'replies' | 'refusal'>;

const finish = (body: Buffer, firstId: number, bounds: BatchBounds): Replies => {
  const work = readBatch(body, firstId, bounds);
  for (;;) {
    const step = work.next();
    if (step.done === true) return { replies: step.value.replies, refusal: step.value.refusal };
  }
};

const read = (text: string, count: number, firstId = 7): unknown => {
  try {
    return finish(Buffer.from(text), firstId, boundsOf(count));
  } catch (error) {
    assert.ok(error instanceof UpstreamFault, String(error));
    return error.kind;
  }
};

const resultText = fc.oneof(
  fc.stringMatching(/^(?:[0-9a-f]{2}){0,40}$/).map((hex) => `"0x${hex}"`),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '1.50', '[]', '{"a":[{"id":3}]}', '"\\"}"', '"é€😀"', '""', '"},{"'),
);

/** One response in the forms that nodes use. */
const answer = fc.record({
  result: resultText,
  form: fc.constantFrom<(id: number, result: string) => string>(
    (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
    (id, result) => `{"jsonrpc":"2.0","result":${result},"id":${id}}`,
    (id, result) => ` {"id" : ${id},"result": ${result} } `,
    (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},"x":"y"}`,
    (id, result) => `{"result":${result},"error":null,"jsonrpc":"2.0","id":${id}}`,
  ),
});

test('each call gets its own result, byte for byte, in any form and order of responses', () => {
  fc.assert(
    fc.property(
      fc.array(answer, { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      (answers, order) => {
        const texts = answers.map(({ form, result }, i) => ({
          text: form(95 + i, result),
          at: order.next().value,
        }));
        texts.sort((a, b) => a.at - b.at);
        const replies = answers.map(({ result }) => ({ kind: 'result', result }));
        const body = `[${texts.map(({ text }) => text).join()}]`;
        assert.deepEqual(read(body, answers.length, 95), { replies, refusal: undefined });
      },
    ),
  );
});

test('damaged bytes are never accepted as another answer', () => {
  const text = '[{"jsonrpc":"2.0","id":7,"result":"0x01"},{"jsonrpc":"2.0","result":"0x02","id":8}]';
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const bytes = Buffer.from(text);
      bytes[at] = byte;
      let replies: unknown;
      try {
        ({ replies } = finish(bytes, 7, boundsOf(2)));
      } catch (error) {
        assert.ok(error instanceof UpstreamFault, String(error));
        return;
      }
      // The values equal those of a JSON parser: no bytes of one response became part of another.
      const parsed = JSON.parse(bytes.toString()) as { id: unknown; result: unknown }[];
      const expected = [7, 8].map((id) => {
        const found = parsed.filter((one) => one.id === id);
        return found.length === 1 ? { kind: 'result', result: JSON.stringify(found[0]?.result) } : undefined;
      });
      assert.deepEqual(replies, expected);
    }),
  );
});

const plain = (id: number | string, result = '"0x1"'): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

test('control characters, invalid UTF-8 and odd ids are rejected', () => {
  assert.equal(read(`[${plain(7, '"\u0001"')}]`, 1), 'malformed');
  const broken = Buffer.from(`[${plain(7, '"xx"')}]`);
  broken[broken.indexOf('xx')] = 0xc3;
  assert.throws(() => finish(broken, 7, boundsOf(1)), UpstreamFault);
  for (const id of ['07', '7.0', '"7"', '-7', '70000000000000000000', '8', '6', '']) {
    assert.equal(read(`[${plain(id)}]`, 1), 'malformed', id);
  }
  assert.equal(read(`[${plain('7.5')}]`, 2), 'malformed');
});

test('missing and duplicate answers are reported by position', () => {
  const reply = { kind: 'result', result: '"0x1"' };
  assert.deepEqual(read(`[${plain(8)}]`, 3), { replies: [undefined, reply, undefined], refusal: undefined });
  const twice = `[${plain(7)},${plain(8)},${plain(7)}]`;
  assert.deepEqual(read(twice, 3), { replies: [undefined, reply, undefined], refusal: undefined });
  const thrice = `[${plain(7)},${plain(7)},${plain(7)}]`;
  assert.deepEqual(read(thrice, 3), { replies: [undefined, undefined, undefined], refusal: undefined });
  assert.equal(read(`[${plain(7)},${plain(8)},${plain(7)}]`, 2), 'malformed');
});

test('a long answer is read with pauses, in any form', () => {
  const long = 'ab'.repeat(500_000);
  const pausesIn = (answers: readonly string[]): number => {
    const body = Buffer.from(`[${answers.join()}]`);
    return [...readBatch(body, 7, boundsOf(answers.length))].length;
  };
  const ids = [7, 8, 9, 10];
  assert.ok(pausesIn(ids.map((id) => plain(id, `"0x${long}"`))) >= 4);
  assert.ok(pausesIn(ids.map((id) => plain(id, `["${long}"]`))) >= 12);
  const error = (id: number): string => `{"id":${id},"error":{"code":3,"message":"${'é'.repeat(250_000)}"}}`;
  assert.ok(pausesIn(ids.map(error)) >= 4 * (500_000 / 65_536));
  assert.equal(pausesIn(ids.map((id) => plain(id))), 0);
});

test('a long error is not a refusal of the batch', () => {
  const error = (length: number): string =>
    `{"id":7,"error":{"code":-32000,"message":"batch too large ${'y'.repeat(length)}"}}`;
  const refusalOf = (text: string): unknown => (read(text, 2) as Replies).refusal;
  assert.ok(refusalOf(`[${error(100)}]`) !== undefined);
  assert.equal(refusalOf(`[${error(5_000)}]`), undefined);
  assert.ok(refusalOf(error(100)) !== undefined);
  assert.equal(read(error(5_000), 2), 'malformed');
});
