import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PassingMap } from '../../src/util/passing-map.ts';
import { SmallSet } from '../../src/util/small-set.ts';

const STEPS = fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 1_000 });

test('a PassingMap has the same contents as a Map, in the same order', () => {
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

test('a SmallSet has the same contents as a Set', () => {
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
