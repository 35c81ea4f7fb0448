import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../src/chain/errors.ts';
import { holdAll, holdText } from '../../src/pool/hold-text.ts';
import { readText } from '../../src/pool/join-pieces.ts';
import { createNodeMemory } from '../../src/pool/node-memory.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { SharedBudget } from '../../src/util/shared-budget.ts';
import { createStream } from './support/scripted-stream.ts';

const MiB = 1024 * 1024;
const memory = (): AnswerMemory => new AnswerMemory(createNodeMemory(), 'node');

test('a result of any length is buffered: only the transport limits its length', async () => {
  const text = `"0x${'ab'.repeat(17 * MiB)}"`;
  const reserved = await holdText(createStream(text, { pieceBytes: MiB }), { memory });
  assert.equal(reserved.length, text.length);
  assert.ok(reserved === text);
});

test('a long result is assembled in several turns of the event loop, wherever its bytes are split', async () => {
  const text = JSON.stringify(`\ufeff${'aé€💡'.repeat(512 * 1024)}`);
  const bytes = Buffer.byteLength(text);
  for (const takesBytes of [false, true])
    for (const pieceBytes of [65_537, 3 * MiB + 1]) {
      let slots = 0;
      const count = (): void => {
        slots++;
        next = setImmediate(count);
      };
      let next: NodeJS.Immediate | undefined;
      const stream = createStream(text, { pieceBytes });
      const { pieces } = stream;
      const counted = {
        ...stream,
        pieces: (async function* () {
          yield* pieces;
          next = setImmediate(count);
        })(),
      };
      const reserved = await holdAll(counted, { memory, takesBytes });
      clearImmediate(next);
      assert.ok(reserved instanceof JsonBytes === takesBytes);
      assert.ok((reserved instanceof JsonBytes ? reserved.text : reserved) === text);
      assert.ok(slots >= Math.floor(bytes / MiB) - 1, `${slots} turns`);
    }
});

test('long bytes are decoded to text in several turns of the event loop', async () => {
  for (const text of [`"${'a'.repeat(3 * MiB)}"`, `"${'é'.repeat(2 * MiB)}"`]) {
    const bytes = new JsonBytes(new SharedBytes(Buffer.from(text)));
    let slots = 0;
    const count = (): void => {
      slots++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    assert.ok((await readText(bytes)) === text);
    clearImmediate(next);
    assert.ok(slots >= 3, `${slots} turns`);
  }
  assert.equal(readText(new JsonBytes(new SharedBytes(Buffer.from('"0x"')))), '"0x"');
});

test('buffered results of all callers are bounded while they arrive, and released', async () => {
  const scope = new RequestScope(performance.now() + 60_000);
  const budget = new SharedBudget(4 * MiB, 1);
  scope.answers = budget;
  const text = `"0x${'ab'.repeat(MiB)}"`;
  const streams = [1, 2, 3].map(() => createStream(text, { pieceBytes: 64 * 1024 }));
  const outcomes = await Promise.allSettled(streams.map((stream) => holdText(stream, { scope, memory })));
  const refused = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? [{ ...outcome, i }] : [],
  );
  assert.ok(refused.length > 0 && refused.length < 3, `${refused.length} of 3 are refused`);
  for (const { reason, i } of refused) {
    assert.ok(reason instanceof ChainError && reason.kind === 'busy');
    assert.ok(streams[i]?.isCancelled, 'the node is not read any further');
  }
  assert.equal(budget.used, 0);
  assert.equal((await holdText(createStream(text), { scope, memory })).length, text.length);
});
