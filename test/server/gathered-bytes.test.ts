import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatheredBytes } from '../../src/server/gathered-bytes.ts';

test('bytes come out as they came in, whatever the chunks, and the cost is known before', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.uint8Array({ minLength: 4_000, maxLength: 9_000 }),
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 40 }), (chunks) => {
      const gathered = new GatheredBytes();
      let cost = 0;
      for (const bytes of chunks) {
        cost += gathered.costOf(Buffer.from(bytes));
        gathered.add(Buffer.from(bytes));
        assert.equal(gathered.cost, cost);
      }
      const expected = Buffer.concat(chunks);
      assert.equal(gathered.length, expected.length);
      assert.deepEqual(gathered.join(), expected);
    }),
    { numRuns: 50 },
  );
});

test('chunks of one byte cost little more than their bytes', () => {
  const gathered = new GatheredBytes();
  const count = 1_000_000;
  for (let i = 0; i < count; i++) gathered.add(Buffer.of(i & 0xff));
  assert.ok(gathered.cost < 1.1 * count, `${gathered.cost}`);
  assert.equal(gathered.join()[999_999], 999_999 & 0xff);
});
