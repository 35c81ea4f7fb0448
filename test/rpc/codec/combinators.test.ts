import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseInSlices } from '../../../packages/ethereum/primitives/parse-in-slices.ts';
import { type Codec, ValueCounter } from '../../../src/rpc/codec/codec.ts';
import { mapped } from '../../../src/rpc/codec/derived-codecs.ts';
import { byKind } from '../../../src/rpc/codec/kind-codec.ts';
import { listOf } from '../../../src/rpc/codec/list-codec.ts';
import { annotation, objectOf, optional, required } from '../../../src/rpc/codec/object-codec.ts';
import { recordOf } from '../../../src/rpc/codec/record-codec.ts';
import { lowerCaseText } from '../../../src/rpc/codec/text-codec.ts';
import { ParamProblem } from '../../../src/rpc/param-problem.ts';
import { boolean, hash32, nothing, number, quantity64 } from '../../../src/rpc/schemas.ts';
import { limitOf } from '../../../src/util/bounds.ts';

function assertProblem(codec: Codec<unknown>, raw: unknown, problem: string): void {
  assert.throws(() => codec.parse(raw), new ParamProblem(problem));
  assert.equal(codec.accept?.(raw), undefined);
  if (codec.parseInPieces !== undefined) {
    assert.throws(() => parseInPieces(codec, raw), new ParamProblem(problem));
  }
}

/** Parses in pieces to the end, and returns the value. */
function parseInPieces<T>(codec: Codec<T>, raw: unknown, pace: ValueCounter = new ValueCounter()): T {
  const pieces = codec.parseInPieces?.(raw, pace);
  assert.ok(pieces !== undefined);
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Text without spaces. */
const word = lowerCaseText({
  title: 'word',
  pattern: '^[^ ]*$',
  findProblem: (text) => (text.includes(' ') ? 'a space' : undefined),
  refusesUpperCase: false,
});

describe('a list', () => {
  const list = listOf(quantity64);

  it('is returned as it is without changes, and copied if an element changes', () => {
    const plain = ['0x1', '0x2'];
    assert.equal(list.accept?.(plain), plain);
    assert.equal(list.accept?.(['0x1', '0xA']), undefined);
    assert.deepEqual(list.parse(['0x1', '0xA']), ['0x1', '0xa']);
    assert.deepEqual(list.jsonSchema, { type: 'array', items: quantity64.jsonSchema });
  });

  it('reports the invalid element', () => {
    assertProblem(list, ['0x1', 5, 6], '[1]: expected a string, got a number');
    assertProblem(list, { 0: '0x1' }, 'expected an array, got an object');
    assertProblem(listOf(list), [[], ['0x']], '[1][0]: hex string "0x"');
  });

  it('is parsed in pieces of a number of values, at any nesting depth, with the same result', () => {
    const row = ['0x1', '0xa', '0x3'];
    const raw = Array.from({ length: 1_000 }, () => row);
    assert.equal([...(listOf(list).parseInPieces?.(raw, new ValueCounter()) ?? [])].length, 7);
    assert.equal(parseInPieces(listOf(list), raw), raw);
    const mixed = [['0x1', '0xA'], row, ['0xB']];
    assert.deepEqual(parseInPieces(listOf(list), mixed), [['0x1', '0xa'], row, ['0xb']]);
  });
});

describe('an object', () => {
  const point = objectOf('point', { x: required(quantity64, 'Across.'), y: optional(quantity64) });

  it('has its known members in order, without null ones', () => {
    assert.deepEqual(Object.entries(point.parse({ z: 1, y: '0xA', x: '0x1' })), [
      ['x', '0x1'],
      ['y', '0xa'],
    ]);
    assert.deepEqual(point.parse({ x: '0x1', y: null }), { x: '0x1' });
  });

  it('is returned as it is on the fast path, or as an ordered copy', () => {
    const plain = { x: '0x1', y: '0x2' };
    assert.equal(point.accept?.(plain), plain);
    assert.equal(parseInPieces(point, plain), plain);
    assert.deepEqual(Object.keys(point.accept?.({ y: '0x2', x: '0x1' }) ?? {}), ['x', 'y']);
    assert.deepEqual(point.accept?.({ y: null, x: '0x1' }), { x: '0x1' });
    for (const raw of [{ x: '0xA' }, { x: '0x1', z: 1 }]) assert.equal(point.accept?.(raw), undefined);
  });

  it('with members out of order counts as changed inside another value', () => {
    const swapped = [{ y: '0x2', x: '0x1' }];
    assert.equal(listOf(point).accept?.(swapped), undefined);
    for (const parsed of [listOf(point).parse(swapped), parseInPieces(listOf(point), swapped)]) {
      assert.equal(JSON.stringify(parsed), '[{"x":"0x1","y":"0x2"}]');
    }
  });

  it('reports the invalid member that is first in its own order', () => {
    assertProblem(point, {}, 'x: missing value');
    assertProblem(point, { y: '0x1' }, 'x: missing value');
    assertProblem(point, { x: null }, 'x: expected a string, got null');
    assertProblem(point, { y: 5, x: 5 }, 'x: expected a string, got a number');
    assertProblem(point, 'x', 'expected an object, got a string');
    assertProblem(
      objectOf('line', { from: required(point) }),
      { from: { x: 1 } },
      'from.x: expected a string, got a number',
    );
  });

  it('may have a member that accepts null', () => {
    const codec = objectOf('o', { a: required(byKind({ null: nothing, string: quantity64 })) });
    const raw = { a: null };
    assert.equal(codec.accept?.(raw), raw);
    assert.deepEqual(codec.parse(raw), raw);
  });

  it('does not treat inherited members as its own', () => {
    assertProblem(
      objectOf('o', { a: required(boolean) }),
      JSON.parse('{"__proto__":{"a":true}}'),
      'a: missing value',
    );
  });

  it('is documented with its members', () => {
    assert.deepEqual(point.jsonSchema, {
      type: 'object',
      properties: { x: { ...quantity64.jsonSchema, description: 'Across.' }, y: quantity64.jsonSchema },
      required: ['x'],
      title: 'point',
    });
  });
});

describe('a map', () => {
  const title = 'map';
  const key = `0x${'A'.repeat(64)}`;

  it('is returned as it is without changes, and otherwise has lower-case keys and values', () => {
    const map = recordOf(hash32, quantity64, { title });
    const plain = { [key.toLowerCase()]: '0x1' };
    assert.equal(map.accept?.(plain), plain);
    assert.equal(parseInPieces(map, plain), plain);
    assert.deepEqual(map.parse(plain), plain);
    for (const raw of [{ [key]: '0xa' }, { [key.toLowerCase()]: '0xA' }]) {
      assert.deepEqual(map.parse(raw), { [key.toLowerCase()]: '0xa' });
      assert.deepEqual(parseInPieces(map, raw), { [key.toLowerCase()]: '0xa' });
    }
  });

  it('reports the key that is invalid, or has an invalid value', () => {
    const map = recordOf(hash32, quantity64, { title });
    assertProblem(map, { a: '0x1' }, 'a: hex string without 0x prefix');
    assertProblem(map, { [key]: null }, `${key}: expected a string, got null`);
    assertProblem(map, JSON.parse('{"__proto__":"0x1"}'), '__proto__: hex string without 0x prefix');
    assertProblem(map, [], 'expected an object, got an array');
  });

  it('may treat null as an absent value', () => {
    const map = recordOf(hash32, quantity64, { title, skipsNull: true });
    const raw = { a: null, [key]: '0x1' };
    assert.deepEqual(map.parse(raw), { [key.toLowerCase()]: '0x1' });
    assert.deepEqual(parseInPieces(map, raw), { [key.toLowerCase()]: '0x1' });
    assert.deepEqual(parseInPieces(map, { a: null }), {});
    assert.equal(map.accept?.({ [key.toLowerCase()]: null }), undefined);
  });

  it('accepts any key that its codec accepts', () => {
    const map = recordOf(word, number, { title });
    const raw = JSON.parse('{"__proto__":1,"A":2}');
    for (const parsed of [map.parse(raw), parseInPieces(map, raw)]) {
      assert.deepEqual(Object.entries(parsed), [
        ['__proto__', 1],
        ['a', 2],
      ]);
    }
  });
});

describe('values of several kinds', () => {
  const codec = byKind({ null: nothing, string: quantity64, array: listOf(quantity64) });

  it('are parsed by the codec of their kind', () => {
    assert.deepEqual(
      [null, '0xA', ['0xB']].map((raw) => codec.parse(raw)),
      [null, '0xa', ['0xb']],
    );
    const list = ['0x1'];
    assert.equal(codec.accept?.(list), list);
    assert.equal(codec.accept?.(null), null);
    assert.equal(parseInPieces(codec, list), list);
    assert.equal(parseInPieces(codec, null), null);
    assert.deepEqual(codec.jsonSchema, {
      anyOf: [{ type: 'null' }, quantity64.jsonSchema, { type: 'array', items: quantity64.jsonSchema }],
    });
  });

  it('have the error of that codec, or an error that lists the kinds', () => {
    assertProblem(codec, ['0x'], '[0]: hex string "0x"');
    assertProblem(codec, 5, 'expected null or a string or an array, got a number');
    assertProblem(codec, undefined, 'missing value');
  });
});

describe('mapped codecs', () => {
  it('map the parsed value', () => {
    const codec = mapped(quantity64, BigInt);
    assert.equal(codec.parse('0x1F'), 31n);
    assert.equal(codec.jsonSchema, quantity64.jsonSchema);
    assertProblem(codec, '0x', 'hex string "0x"');
    const lengths = mapped(listOf(quantity64), ({ length }) => length);
    assert.equal(parseInPieces(lengths, ['0x1', '0x2']), 2);
    assertProblem(lengths, ['0x'], '[0]: hex string "0x"');
  });
});

describe('annotation members', () => {
  const codec = objectOf('o', { a: annotation(quantity64), b: optional(quantity64) });

  it('count as absent if they are invalid, in all ways of parsing', () => {
    for (const a of ['eip1559', '0x', 2, {}, null]) {
      assert.deepEqual(codec.parse({ a, b: '0x1' }), { b: '0x1' });
      assert.deepEqual(codec.accept?.({ a, b: '0x1' }) ?? { b: '0x1' }, { b: '0x1' });
      assert.deepEqual(parseInPieces(codec, { a, b: '0x1' }), { b: '0x1' });
    }
  });

  it('are parsed if they are valid', () => {
    for (const a of ['0x2', '0X2']) assert.deepEqual(codec.parse({ a }), { a: '0x2' });
  });
});

describe('a bound on entries', () => {
  const limit = limitOf('call.entries');
  const refusal = { message: /^the call has more than 8192 entries in .* \(bound: call\.entries\)$/ };
  let parsed = 0;
  const counted: Codec<unknown> = {
    parse: (raw) => {
      parsed++;
      return raw;
    },
    jsonSchema: {},
  };
  const list = listOf(counted, 'call.entries');
  const record = recordOf(counted as Codec<string>, counted, { title: 'map', bound: 'call.entries' });

  function assertRefused(codec: Codec<unknown>, raw: unknown): void {
    parsed = 0;
    assert.throws(() => codec.parse(raw), refusal);
    assert.throws(() => parseInPieces(codec, raw), refusal);
    assert.equal(codec.accept?.(raw), undefined);
    assert.equal(parsed, 0);
  }

  /** Parses a text in slices, as large bodies are parsed. */
  function parseLarge(text: string): unknown {
    const work = parseInSlices(text);
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
    }
  }

  it('refuses a longer list before any element is parsed', () => {
    assertRefused(list, new Array(limit + 1).fill(1));
    const longest = new Array(limit).fill(1);
    assert.equal(parseInPieces(list, longest), longest);
    assert.equal(parsed, limit);
    assert.deepEqual(list.jsonSchema, { type: 'array', items: {}, maxItems: limit });
  });

  it('refuses a larger map of a large body before any member is listed', () => {
    const textOf = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
    assertRefused(record, parseLarge(textOf(limit + 1)));
    const largest = parseLarge(textOf(limit));
    assert.equal(parseInPieces(record, largest), largest);
    assert.equal(record.jsonSchema['maxProperties'], limit);
  });

  it('is checked after the kind of the value', () => {
    assertProblem(listOf(quantity64, 'call.entries'), {}, 'expected an array, got an object');
  });
});
