import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Expiring, ExpirySweep } from '../../src/util/expiry-sweep.ts';

class Entry implements Expiring {
  expiresAt: number;
  sweepIndex = -1;
  readonly #onExpire: () => void;

  constructor(expiresAt: number, onExpire: () => void) {
    this.expiresAt = expiresAt;
    this.#onExpire = onExpire;
  }

  expire(): void {
    this.#onExpire();
  }
}

test('due entries are notified, and no others', async () => {
  const sweep = new ExpirySweep<Entry>();
  const never = new Entry(Number.POSITIVE_INFINITY, () => assert.fail('expired for ever'));
  const deleted = new Entry(performance.now(), () => assert.fail('a deleted entry expired'));
  sweep.add(never);
  sweep.add(deleted);
  sweep.delete(deleted);
  await new Promise<void>((resolve) => {
    const entry = new Entry(performance.now() + 30, () => {
      sweep.delete(entry);
      resolve();
    });
    sweep.add(entry);
  });
  assert.deepEqual(sweep.list(), [never]);
  sweep.delete(never);
});

test('an expiry may move in both directions', async () => {
  const sweep = new ExpirySweep<Entry>();
  const start = performance.now();
  let moved = false;
  await new Promise<void>((resolve) => {
    const entry = new Entry(Number.POSITIVE_INFINITY, () => {
      if (moved) {
        sweep.delete(entry);
        resolve();
        return;
      }
      moved = true;
      entry.expiresAt = performance.now() + 60;
    });
    sweep.add(entry);
    entry.expiresAt = start;
  });
  assert.ok(performance.now() >= start + 60);
});

test('the sweep starts again after it was empty', async () => {
  const sweep = new ExpirySweep<Entry>();
  for (let i = 0; i < 2; i++) {
    await new Promise<void>((resolve) => {
      const entry = new Entry(performance.now(), () => {
        sweep.delete(entry);
        resolve();
      });
      sweep.add(entry);
    });
    // Long enough for the timer to find nothing and to stop.
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(sweep.size, 0);
  }
});

test('additions and deletions in any order leave the right entries', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 }), (steps) => {
      const sweep = new ExpirySweep<Entry>();
      const entries = Array.from({ length: 10 }, () => new Entry(Number.POSITIVE_INFINITY, () => {}));
      const inside = new Set<Entry>();
      for (const [isAddition, index] of steps) {
        const entry = entries[index] as Entry;
        if (!isAddition) sweep.delete(entry);
        else if (!inside.has(entry)) sweep.add(entry);
        if (isAddition) inside.add(entry);
        else inside.delete(entry);
        assert.deepEqual(new Set(sweep.list()), inside);
        assert.equal(sweep.size, inside.size);
      }
      for (const entry of inside) sweep.delete(entry);
    }),
  );
});
