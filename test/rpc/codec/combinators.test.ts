import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Codec, Pace } from '../../../src/rpc/codec/codec.ts';
import { mapped, refined, refuseWith } from '../../../src/rpc/codec/derived-codecs.ts';
import { byKind } from '../../../src/rpc/codec/kind-codec.ts';
import { listOf } from '../../../src/rpc/codec/list-codec.ts';
import { objectOf, optional, required } from '../../../src/rpc/codec/object-codec.ts';
import { recordOf } from '../../../src/rpc/codec/record-codec.ts';
import { textOf } from '../../../src/rpc/codec/text-codec.ts';
import { ParamProblem } from '../../../src/rpc/param-problem.ts';
import { boolean, hash32, nothing, number, quantity64 } from '../../../src/rpc/schemas.ts';

function assertProblem(codec: Codec<unknown>, raw: unknown, problem: string): void {
  assert.throws(() => codec.parse(raw), new ParamProblem(problem));
  assert.equal(codec.accept?.(raw), undefined);
  assert.equal(checkAll(codec, raw), false);
}

/** The outcome of a check in pieces. */
function checkAll(codec: Codec<unknown>, raw: unknown): boolean {
  const check = codec.checkInPieces?.(raw, new Pace());
  for (let step = check?.next(); step !== undefined; step = check?.next()) {
    if (step.done === true) return step.value;
  }
  return false;
}

/** Text without spaces that counts how often it was looked at. */
function createCounter(): { readonly codec: Codec<string>; looks: number } {
  const counter = {
    looks: 0,
    codec: textOf({
      title: 'word',
      pattern: '^[^ ]*$',
      findProblem: (text) => {
        counter.looks++;
        return text.includes(' ') ? 'a space' : undefined;
      },
      refusesUpperCase: false,
    }),
  };
  return counter;
}

describe('a list', () => {
  const list = listOf(quantity64);

  it('is itself where nothing is changed, and another where an element is', () => {
    const plain = ['0x1', '0x2'];
    assert.equal(list.accept?.(plain), plain);
    assert.equal(list.accept?.(['0x1', '0xA']), undefined);
    assert.deepEqual(list.parse(['0x1', '0xA']), ['0x1', '0xa']);
    assert.deepEqual(list.jsonSchema, { type: 'array', items: quantity64.jsonSchema });
  });

  it('names the element that is wrong', () => {
    assertProblem(list, ['0x1', 5, 6], '[1]: expected a string, got a number');
    assertProblem(list, { 0: '0x1' }, 'expected an array, got an object');
    assertProblem(listOf(list), [[], ['0x']], '[1][0]: hex string "0x"');
  });

  it('that was checked in pieces is not looked at again', () => {
    const counter = createCounter();
    const words = listOf(counter.codec);
    const raw = Array.from({ length: 2_000 }, () => 'a');
    const pauses = [...(words.checkInPieces?.(raw, new Pace()) ?? [])];
    assert.equal(pauses.length, 3);
    assert.equal(counter.looks, 2_000);
    assert.equal(words.accept?.(raw), raw);
    assert.equal(words.parse(raw), raw);
    assert.equal(counter.looks, 2_000);
  });

  it('of one codec is not taken for a list of another because it was checked', () => {
    const raw = ['a'];
    assert.equal(checkAll(listOf(createCounter().codec), raw), true);
    assertProblem(list, raw, '[0]: hex string without 0x prefix');
  });
});

describe('an object', () => {
  const point = objectOf('point', { x: required(quantity64, 'Across.'), y: optional(quantity64) });

  it('has the members that are known, in their order, without those that are null', () => {
    assert.deepEqual(Object.entries(point.parse({ z: 1, y: '0xA', x: '0x1' })), [
      ['x', '0x1'],
      ['y', '0xa'],
    ]);
    assert.deepEqual(point.parse({ x: '0x1', y: null }), { x: '0x1' });
  });

  it('is itself on the fast path, or a copy in order', () => {
    const plain = { x: '0x1', y: '0x2' };
    assert.equal(point.accept?.(plain), plain);
    assert.deepEqual(Object.keys(point.accept?.({ y: '0x2', x: '0x1' }) ?? {}), ['x', 'y']);
    assert.deepEqual(point.accept?.({ y: null, x: '0x1' }), { x: '0x1' });
    for (const raw of [{ x: '0xA' }, { x: '0x1', z: 1 }]) assert.equal(point.accept?.(raw), undefined);
  });

  it('that would only be put in order counts as changed inside of something else', () => {
    const swapped = [{ y: '0x2', x: '0x1' }];
    assert.equal(listOf(point).accept?.(swapped), undefined);
    assert.equal(checkAll(listOf(point), swapped), false);
    assert.equal(JSON.stringify(listOf(point).parse(swapped)), '[{"x":"0x1","y":"0x2"}]');
  });

  it('names the member that is wrong, the first in its own order', () => {
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

  it('may have a member for which null is a value', () => {
    const codec = objectOf('o', { a: required(byKind({ null: nothing, string: quantity64 })) });
    const raw = { a: null };
    assert.equal(codec.accept?.(raw), raw);
    assert.deepEqual(codec.parse(raw), raw);
  });

  it('does not take what it inherits for its own', () => {
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

  it('is itself where nothing is changed, and has its keys and values in lower case', () => {
    const map = recordOf(hash32, quantity64, { title });
    const plain = { [key.toLowerCase()]: '0x1' };
    assert.equal(map.accept?.(plain), plain);
    assert.equal(checkAll(map, plain), true);
    assert.equal(map.parse(plain), plain);
    assert.deepEqual(map.parse({ [key]: '0xA' }), { [key.toLowerCase()]: '0xa' });
  });

  it('names the key that is wrong, or whose value is', () => {
    const map = recordOf(hash32, quantity64, { title });
    assertProblem(map, { a: '0x1' }, 'a: hex string without 0x prefix');
    assertProblem(map, { [key]: null }, `${key}: expected a string, got null`);
    assertProblem(map, JSON.parse('{"__proto__":"0x1"}'), '__proto__: hex string without 0x prefix');
    assertProblem(map, [], 'expected an object, got an array');
  });

  it('may take null for a value that is not given', () => {
    const map = recordOf(hash32, quantity64, { title, skipsNull: true });
    assert.deepEqual(map.parse({ a: null, [key]: '0x1' }), { [key.toLowerCase()]: '0x1' });
    assert.equal(map.accept?.({ [key.toLowerCase()]: null }), undefined);
  });

  it('holds any key that its codec takes', () => {
    const map = recordOf(createCounter().codec, number, { title });
    const parsed = map.parse(JSON.parse('{"__proto__":1,"A":2}'));
    assert.deepEqual(Object.entries(parsed), [
      ['__proto__', 1],
      ['a', 2],
    ]);
  });
});

describe('values of several kinds', () => {
  const codec = byKind({ null: nothing, string: quantity64, array: listOf(quantity64) });

  it('are read by the codec of their kind', () => {
    assert.deepEqual(
      [null, '0xA', ['0xB']].map((raw) => codec.parse(raw)),
      [null, '0xa', ['0xb']],
    );
    const list = ['0x1'];
    assert.equal(codec.accept?.(list), list);
    assert.equal(codec.accept?.(null), null);
    assert.equal(checkAll(codec, list), true);
    assert.deepEqual(codec.jsonSchema, {
      anyOf: [{ type: 'null' }, quantity64.jsonSchema, { type: 'array', items: quantity64.jsonSchema }],
    });
  });

  it('have the problem of that codec, or none of the kinds', () => {
    assertProblem(codec, ['0x'], '[0]: hex string "0x"');
    assertProblem(codec, 5, 'expected null or a string or an array, got a number');
    assertProblem(codec, undefined, 'missing value');
  });
});

describe('codecs made of others', () => {
  it('map what is parsed', () => {
    const codec = mapped(quantity64, BigInt);
    assert.equal(codec.parse('0x1F'), 31n);
    assert.equal(codec.jsonSchema, quantity64.jsonSchema);
    assertProblem(codec, '0x', 'hex string "0x"');
  });

  it('add a rule to all ways in', () => {
    const codec = refined(listOf(quantity64), ({ length }) => (length > 2 ? 'too many' : undefined));
    const short = ['0x1'];
    assert.equal(codec.accept?.(short), short);
    assert.equal(checkAll(codec, short), true);
    assert.deepEqual(codec.parse(['0xA']), ['0xa']);
    assertProblem(codec, ['0x1', '0x2', '0x3'], 'too many');
    assertProblem(codec, ['0x1', '0x2', 3], '[2]: expected a string, got a number');
  });

  it('refuse what is known and not supported, whatever it is', () => {
    const codec = objectOf('o', { a: optional(refuseWith('not supported')) });
    for (const a of [1, '', []]) assertProblem(codec, { a }, 'a: not supported');
    assert.deepEqual(codec.parse({ a: null }), {});
  });
});
