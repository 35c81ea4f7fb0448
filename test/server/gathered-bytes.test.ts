import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatheredBytes } from '../../src/server/gathered-bytes.ts';

test('bytes are joined unchanged from any chunks, at a cost known in advance', () => {
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

test('bytes of a known length are joined as they arrive, even if some are missing', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 90_000, size: 'max' });
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 4, maxLength: 12 }), fc.nat(400_000), (chunks, missing) => {
      const expected = Buffer.concat(chunks);
      const gathered = new GatheredBytes(expected.length + missing);
      for (const bytes of chunks) {
        const cost = gathered.cost + gathered.costOf(Buffer.from(bytes));
        gathered.add(Buffer.from(bytes));
        assert.equal(gathered.cost, cost);
      }
      assert.ok(gathered.cost >= expected.length);
      assert.deepEqual(gathered.join(), expected);
    }),
    { numRuns: 15 },
  );
});

test('a declared length allocates no memory until bytes arrive', () => {
  const before = process.memoryUsage().arrayBuffers;
  const waiting = Array.from({ length: 100 }, () => {
    const gathered = new GatheredBytes(5_000_000);
    gathered.add(Buffer.alloc(64 * 1024));
    return gathered;
  });
  assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);
  assert.equal(waiting.length, 100);
});
