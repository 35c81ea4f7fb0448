import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PassingMap } from '../../src/util/passing-map.ts';
import { SmallSet } from '../../src/util/small-set.ts';

const STEPS = fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 1_000 });

test('a passing map holds what a Map holds, also after it was copied', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const [map, model] = [new PassingMap<number, number>(), new Map<number, number>()];
      for (const [index, [key, isSet]] of steps.entries()) {
        for (const each of [map, model]) isSet ? each.set(key, index) : each.delete(key);
        assert.equal(map.size, model.size);
        assert.equal(map.get(key), model.get(key));
      }
      assert.deepEqual(map.takeKeys(), [...model.keys()]);
      assert.equal(map.size, 0);
    }),
  );
});

test('a small set holds what a Set holds', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const [set, model] = [new SmallSet<number>(), new Set<number>()];
      for (const [member, isAdded] of steps) {
        if (!isAdded) set.delete(member);
        else if (!model.has(member)) set.add(member);
        isAdded ? model.add(member) : model.delete(member);
        assert.equal(set.size, model.size);
      }
      assert.deepEqual([...set.take()].sort(), [...model].sort());
      assert.equal(set.size, 0);
    }),
  );
});
