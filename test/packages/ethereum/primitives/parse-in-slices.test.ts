import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  countManyMembers,
  findRepeats,
  hasManyMembers,
  parseInSlices,
  TooManyMembers,
} from '../../../../packages/ethereum/primitives/parse-in-slices.ts';
import { countRuns } from '../../../support/count-runs.ts';

type Parsed = { readonly value: unknown; readonly pauses: number };

/** Parses a text and counts the pauses. */
function parseAs(text: string | Uint8Array): Parsed {
  const work = parseInSlices(text);
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

/** Parses a text, and asserts that its bytes parse to the same value; a lone surrogate has no bytes in UTF-8. */
function parse(text: string): Parsed {
  const bytes = Buffer.from(text);
  if (bytes.toString() === text)
    assert.equal(
      outcomeOf(() => parseAs(bytes).value),
      outcomeOf(() => parseAs(text).value),
    );
  return parseAs(text);
}

/** Outcome of a parser as text, comparable with that of `JSON.parse`: the order of members and `__proto__` are included. */
const outcomeOf = (read: () => unknown): string => {
  try {
    return JSON.stringify(read()) ?? 'undefined';
  } catch (error) {
    return (error as Error).name;
  }
};

const blank = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });

test('any JSON text has the same value as with JSON.parse', () => {
  const indent = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(fc.json(), blank, indent, (json, around, space) => {
      const text = around + JSON.stringify(JSON.parse(json), undefined, space) + around;
      assert.deepEqual(parse(text).value, JSON.parse(text));
      assert.equal(JSON.stringify(parse(text).value), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('repeated, numeric and __proto__ members have the same value as with JSON.parse', () => {
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

test('findRepeats reports whether a parsed text repeats a name', () => {
  const repeats = (text: string): boolean | undefined => findRepeats(parse(text).value as object);
  for (const text of [
    '{"a":1,"a":2}',
    '[[{"\\u0061":{},"a":1}]]',
    '{"__proto__":1,"__proto__":1}',
    '{"a":{"1":1,"1":1}}',
  ])
    assert.equal(repeats(text), true, text);
  for (const text of [
    '{"a":{"a":"\\"a\\":1"},"b":["a:","a"]}',
    '[{"a":1},{"a":1}]',
    '{"__proto__":1,"constructor":2}',
  ])
    assert.equal(repeats(text), false, text);
  assert.equal(findRepeats(JSON.parse('{"a":1}')), undefined);
});

test('texts that JSON.parse refuses are refused', () => {
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

test('a long string is parsed in slices with the same value, even if a slice cuts an escape', () => {
  const inside = '\\u0061\\"\\\\\\ud83d\\udca1\\n';
  for (let at = 0; at <= inside.length; at++) {
    const text = `{"a":["${'a'.repeat(SLICE - at)}${inside}${'b'.repeat(4 * SLICE)}${inside}"],"b":"${'c'.repeat(SLICE - 1)}"}`;
    const { value, pauses } = parse(text);
    assert.deepEqual(value, JSON.parse(text));
    assert.ok(pauses >= 4);
  }
});

test('bytes are decoded in short parts that never cut a character', (context) => {
  const { decode } = TextDecoder.prototype;
  let most = 0;
  context.mock.method(TextDecoder.prototype, 'decode', function (this: unknown, bytes: Uint8Array) {
    most = Math.max(most, bytes.length);
    return decode.call(this as never, bytes);
  });
  for (const sign of ['é', '€', '💡'])
    for (let at = 0; at < 4; at++) {
      const value = [`${'a'.repeat(SLICE - at)}${sign.repeat(SLICE)}`, 'b'.repeat(2 * SLICE), sign, at];
      const text = JSON.stringify(Array(20).fill({ [sign]: value }));
      assert.deepEqual(parseAs(Buffer.from(text)).value, JSON.parse(text));
    }
  assert.ok(most <= SLICE, `${most} bytes at a time`);
});

test('long strings that JSON.parse refuses are refused', () => {
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

test('parsing pauses every few hundred values', () => {
  const members = Array.from({ length: 10_000 }, (_, i) => `"k${i}":{"a":[${i}]}`);
  const { value, pauses } = parse(`{${members.join()}}`);
  assert.equal(Object.keys(value as object).length, 10_000);
  assert.ok(pauses > 50);
  assert.equal(hasManyMembers(value as object), true);
  assert.equal(hasManyMembers(parse('{"a":1}').value as object), false);
});

test('parsing pauses in long values and long runs of whitespace', () => {
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

test('countManyMembers knows the size of large objects, and returns 0 for small ones', () => {
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

/** Estimated heap size of the values of a text, bytes. */
function weigh(text: string): number {
  let bytes = 0;
  for (const _ of parseInSlices(text, { onHeap: (more) => (bytes += more) }));
  return bytes;
}

test('onHeap gets at least the heap size of all values', () => {
  const many = (item: string): string => `[${Array.from({ length: 1_000 }, () => item).join(',')}]`;
  const empty = weigh('[]');
  // Measured in V8: a list of one number takes 185 bytes, an object of one member 160, an object whose only member is named 900 takes 11,018.
  for (const [item, least] of [
    ['[]', 56],
    ['[0]', 185],
    ['{}', 56],
    ['{"a":0}', 100],
    ['{"900":0}', 11_018],
    ['1.5', 16],
    ['null', 8],
    ['"0x1"', 24],
    [`"${'a'.repeat(1_000)}"`, 1_016],
    [`"${'a'.repeat(100_000)}"`, 100_016],
  ] as const)
    assert.ok(weigh(many(item)) - empty >= 1_000 * least, `${item.slice(0, 20)}: ${weigh(many(item))}`);
});

test('parsing ends when onHeap throws', () => {
  const text = `[${'[0],'.repeat(100_000)}0]`;
  let told = 0;
  const onHeap = (bytes: number): void => {
    told += bytes;
    if (told > 1_000_000) throw new RangeError('no room');
  };
  const work = parseInSlices(text, { onHeap });
  assert.throws(() => {
    for (const _ of work);
  }, /no room/);
  assert.ok(told < 1_100_000, `${told} bytes were made`);
});

test('the items of a list and the members of an object are bounded', () => {
  const run = (text: string): void => {
    for (const _ of parseInSlices(text, { members: 2, items: 3 }));
  };
  run('[{"a":[1,2,3],"b":{}},{"a":0,"b":0},[]]');
  assert.throws(() => run('[[1,2,3,4]]'), TooManyMembers);
  assert.throws(() => run('[{"a":0,"b":0,"c":0}]'), TooManyMembers);
});
