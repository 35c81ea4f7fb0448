import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countManyMembers, hasManyMembers, parseInSlices } from '../../src/primitives/parse-in-slices.ts';
import { countRuns } from '../support/count-runs.ts';

/** The value of a text, and how often there was a pause. */
function parse(text: string): { readonly value: unknown; readonly pauses: number } {
  const work = parseInSlices(text);
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

/** What `JSON.parse` makes of it, as text: order of members and `__proto__` included. */
const outcomeOf = (read: () => unknown): string => {
  try {
    return JSON.stringify(read()) ?? 'undefined';
  } catch (error) {
    return (error as Error).name;
  }
};

const blank = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });

test('any JSON text means what it means to JSON.parse', () => {
  const indent = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(fc.json(), blank, indent, (json, around, space) => {
      const text = around + JSON.stringify(JSON.parse(json), undefined, space) + around;
      assert.deepEqual(parse(text).value, JSON.parse(text));
      assert.equal(JSON.stringify(parse(text).value), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('members that are named twice, like numbers, or __proto__ come out the same', () => {
  for (const text of [
    '{"a":1,"b":2,"a":3}',
    '{"b":1,"10":2,"9":3}',
    '{"__proto__":{"x":1},"y":2}',
    '{"__proto__":1,"__proto__":[2]}',
    '{"\\u0061":"\\ud83d\\udca1","a\\"":"\\\\"}',
    '[-0,1e400,1E-2,12345678901234567890]',
  ]) {
    const { value } = parse(text);
    assert.deepEqual(value, JSON.parse(text));
    assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)));
    assert.equal(Object.getPrototypeOf(value), Object.getPrototypeOf(JSON.parse(text)));
  }
});

test('what JSON.parse refuses is refused', () => {
  const scraps = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      'true',
      'nul',
      ' ',
      '\u00a0',
      '\u0001',
      '1e',
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(scraps, (parts) => {
      const text = parts.join('');
      assert.equal(
        outcomeOf(() => parse(text).value),
        outcomeOf(() => JSON.parse(text)),
      );
    }),
    { numRuns: countRuns(2_000) },
  );
});

const SLICE = 64 * 1024;

test('a long string is parsed in slices, wherever an escape is cut, and means the same', () => {
  const inside = '\\u0061\\"\\\\\\ud83d\\udca1\\n';
  for (let at = 0; at <= inside.length; at++) {
    const text = `{"a":["${'a'.repeat(SLICE - at)}${inside}${'b'.repeat(4 * SLICE)}${inside}"],"b":"${'c'.repeat(SLICE - 1)}"}`;
    const { value, pauses } = parse(text);
    assert.deepEqual(value, JSON.parse(text));
    assert.ok(pauses >= 4);
  }
});

test('a long string that JSON.parse refuses is refused', () => {
  const long = 'a'.repeat(3 * SLICE);
  for (const text of [
    `"${long}`,
    `"${long}\\`,
    `"${long}\\"`,
    `"${long}\\u00"`,
    `"${long}\n"`,
    `"${long}\\x${long}"`,
  ])
    assert.equal(
      outcomeOf(() => parse(text).value),
      outcomeOf(() => JSON.parse(text)),
    );
});

test('there is a pause every few hundred values', () => {
  const members = Array.from({ length: 10_000 }, (_, i) => `"k${i}":{"a":[${i}]}`);
  const { value, pauses } = parse(`{${members.join()}}`);
  assert.equal(Object.keys(value as object).length, 10_000);
  assert.ok(pauses > 50);
  assert.equal(hasManyMembers(value as object), true);
  assert.equal(hasManyMembers(parse('{"a":1}').value as object), false);
});

test('there is a pause in long values and long runs of blanks', () => {
  const long = 'a'.repeat(100_000);
  const { value, pauses } = parse(`[${Array(20).fill(`"${long}"`).join()}]`);
  assert.deepEqual(value, Array(20).fill(long));
  assert.ok(pauses >= 19);
  assert.ok(
    parse(
      `[${Array(20)
        .fill(`${' '.repeat(60_000)}1`)
        .join()}]`,
    ).pauses >= 9,
  );
});

test('members of a large object are known without being listed, and of a small one are not counted', () => {
  const textOf = (count: number): string =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}":{}`).join()}}`;
  for (const [text, expected] of [
    [textOf(999), 0],
    [textOf(1_000), 1_000],
    [textOf(5_000), 5_000],
    [`[${textOf(3)}]`, 0],
  ] as const) {
    assert.equal(countManyMembers(parse(text).value as object), expected);
  }
});
