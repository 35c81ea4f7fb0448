import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Codec } from '../../src/rpc/codec/codec.ts';
import { toZod } from '../../src/rpc/codec/to-zod.ts';
import { ParamProblem } from '../../src/rpc/param-problem.ts';
import {
  address,
  boolean,
  data,
  hash32,
  integer64,
  nothing,
  number,
  quantity64,
  quantity256,
} from '../../src/rpc/schemas.ts';
import { countRuns } from '../support/count-runs.ts';

const TEXTS: Readonly<Record<string, Codec<string>>> = { address, data, hash32, quantity64, quantity256 };
/** Values of an empty text, which the published patterns do not cover. */
const EMPTY: Readonly<Record<string, string>> = { data: '0x', quantity64: '0x0', quantity256: '0x0' };
const CODECS: Readonly<Record<string, Codec<unknown>>> = { ...TEXTS, boolean, integer64, nothing, number };

const digits = fc.constantFrom(...'0123456789abcdefABCDEFgxK \n');
const hexLike = fc
  .tuple(
    fc.constantFrom('0x', '0X', '', '00'),
    fc.array(digits, { maxLength: 3 }),
    fc.array(fc.constantFrom(...'0123456789abcdefABCDEF'), { maxLength: 70 }),
  )
  .map(([prefix, head, tail]) => prefix + [...head, ...tail].join(''));
const sized = fc.tuple(fc.constantFrom(20, 32), fc.boolean()).chain(([length, isUpper]) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Buffer.from(bytes).toString('hex'))
    .map((hex) => `0x${isUpper ? hex.toUpperCase() : hex}`),
);
const values = fc.oneof(
  hexLike,
  sized,
  fc.bigInt(0n, 2n ** 257n).map((value) => `0x${value.toString(16)}`),
  fc.jsonValue(),
);

function parse<T>(codec: Codec<T>, raw: unknown): T | undefined {
  try {
    return codec.parse(raw);
  } catch (error) {
    assert.ok(error instanceof ParamProblem);
    return undefined;
  }
}

for (const [name, codec] of Object.entries(CODECS)) {
  test(`${name}: the fast path accepts the values that parse leaves unchanged, and the schema those that parse accepts`, () => {
    const schema = toZod(codec);
    fc.assert(
      fc.property(values, (raw) => {
        const parsed = parse(codec, raw);
        assert.equal(codec.accept?.(raw), parsed === raw ? raw : undefined);
        assert.equal(schema.safeParse(raw).success, parsed !== undefined);
      }),
      { numRuns: countRuns(1_000) },
    );
  });
}

for (const [name, codec] of Object.entries(TEXTS)) {
  const pattern = new RegExp(codec.jsonSchema['pattern'] as string);

  test(`${name}: parse accepts the texts of its published pattern`, () => {
    fc.assert(
      fc.property(values, (raw) => {
        const isText = typeof raw === 'string' && pattern.test(raw.replace(/^0X/, '0x'));
        const expected = isText ? raw.toLowerCase() : raw === '' ? EMPTY[name] : undefined;
        assert.equal(parse(codec, raw), expected);
      }),
      { numRuns: countRuns(1_000) },
    );
  });
}

test('integer64 parses quantities to integers', () => {
  assert.equal(integer64.parse('0xfF'), 255n);
  assert.equal(integer64.parse('0xffffffffffffffff'), 2n ** 64n - 1n);
});

const PROBLEMS: readonly [codec: Codec<unknown>, raw: unknown, problem: string][] = [
  [boolean, 'true', 'expected a boolean, got a string'],
  [number, '1', 'expected a number, got a string'],
  [nothing, {}, 'expected null, got an object'],
  [nothing, undefined, 'missing value'],
];
for (const [codec, raw, problem] of PROBLEMS) {
  test(`${JSON.stringify(raw)} is refused: ${problem}`, () =>
    assert.throws(() => codec.parse(raw), new ParamProblem(problem)));
}

test('data as long as a body is parsed without a deep stack', () => {
  const text = `0x${'aB'.repeat(2_500_000)}`;
  assert.equal(data.parse(text), text.toLowerCase());
  assert.equal(data.accept?.(text.toLowerCase()), text.toLowerCase());
  assert.equal(data.accept?.(`${text.toLowerCase()}0g`), undefined);
});
