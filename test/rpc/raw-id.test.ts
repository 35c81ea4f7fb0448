import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findRawId, findRawIds } from '../../src/rpc/raw-id.ts';
import { countRuns } from '../support/count-runs.ts';

const CASES: readonly [text: string, id: string | undefined][] = [
  ['{"id":1}', '1'],
  ['{"id":9007199254740993}', '9007199254740993'],
  ['{"id":1.0}', '1.0'],
  ['{"id":1e2}', '1e2'],
  ['{"id":-0}', '-0'],
  ['{"id":0.30000000000000004000}', '0.30000000000000004000'],
  ['{"id":-1.5E+3}', '-1.5E+3'],
  [' \n{\t"id" \r\n: \t 7 , "x":1}', '7'],
  ['{"params":[{"id":5}],"id":6}', '6'],
  ['{"id":6,"params":[{"id":5}]}', '6'],
  ['{"params":{"id":5},"method":"id"}', undefined],
  ['{"method":"id","id":8}', '8'],
  ['{"method":"}{][\\"id\\":4,","id":8}', '8'],
  ['{"a":"\\\\","id":3,"b":"\\\\\\""}', '3'],
  ['{"\\u0069d":12}', '12'],
  ['{"\\u0069\\u0064":12,"x":"\\\\"}', '12'],
  ['{"id":1,"id":2}', '2'],
  ['{"id":1,"id":"x"}', undefined],
  ['{"id":"x","id":2.50}', '2.50'],
  ['{"id":1,"\\u0069d":2}', '2'],
  ['{"a":[1,[2,{"id":3}]],"b":{},"c":[],"id":4}', '4'],
  ['{"id":"12"}', undefined],
  ['{}', undefined],
];

for (const [text, id] of CASES) {
  test(`the id of ${text} is ${id}`, () => {
    JSON.parse(text);
    assert.equal(findRawId(text), id);
  });
}

test('the ids of an array are found by position, among any other elements', () => {
  const text =
    '[{"id":1.0}, 5, [{"id":7}, "id", {"id":2}], {"x":{"id":3},"id":4}, {}, {"id":"s"},{"id":1e400}]';
  assert.equal(JSON.parse(text).length, 7);
  const ids = findRawIds(text);
  assert.deepEqual(
    Array.from({ length: 7 }, (_, i) => ids[i]),
    ['1.0', undefined, undefined, '4', undefined, undefined, '1e400'],
  );
});

test('deep nesting is scanned without recursion', () => {
  const depth = 1_000_000;
  const text = `{"params":${'['.repeat(depth)}${']'.repeat(depth)},"x":"\\"","id":77}`;
  assert.equal(findRawId(text), '77');
});

const keys = fc.oneof(fc.constantFrom('id', 'i', '__proto__', '"id"', '\\', 'id"'), fc.string());
const values = fc.oneof(
  fc.jsonValue(),
  fc.record({ id: fc.jsonValue() }),
  fc.constantFrom('"id":1', '{"id":2', '\\"id\\":', ']},'),
);

test('the ids of arbitrary objects agree with JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, values)), fc.integer(), fc.nat(), (members, id, place) => {
      const all: [string, unknown][] = members.filter(([key]) => key !== 'id');
      all.splice(place % (all.length + 1), 0, ['id', id]);
      const space = place % 3 === 0 ? ' ' : '';
      const texts = all.map(
        ([key, value]) => `${JSON.stringify(key)}${space}:${space}${JSON.stringify(value)}`,
      );
      const text = `{${texts.join(`,${space}`)}}`;
      assert.equal(findRawId(text), JSON.stringify((JSON.parse(text) as { id: number }).id));
    }),
  );
});

test('the ids in arbitrary arrays agree with JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(values, fc.dictionary(keys, values))), fc.nat(2), (elements, indent) => {
      const text = JSON.stringify(elements, null, indent);
      const ids = findRawIds(text);
      (JSON.parse(text) as unknown[]).forEach((element, i) => {
        const isRequest = typeof element === 'object' && element !== null && !Array.isArray(element);
        if (!isRequest) return;
        const { id } = element as { id?: unknown };
        if (typeof id === 'number') assert.equal(Number(ids[i]), id);
        else assert.equal(ids[i], undefined);
      });
    }),
  );
});

test('the ids are the same if the parsed elements are provided', () => {
  const request = fc.oneof(
    fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), method: fc.constantFrom('id', 'eth_call') }),
    fc.record({ method: fc.constantFrom('id', 'paid') }),
    values,
    fc.dictionary(keys, values),
  );
  fc.assert(
    fc.property(fc.array(request), fc.nat(2), (elements, indent) => {
      const text = JSON.stringify(elements, null, indent);
      const ids = findRawIds(text);
      const found = findRawIds(text, JSON.parse(text) as unknown[]);
      elements.forEach((_, i) => {
        assert.equal(found[i], ids[i]);
      });
    }),
    { numRuns: countRuns(1_000) },
  );
});
