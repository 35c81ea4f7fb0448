import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type * as z from 'zod';
import { findAcceptor } from '../../src/rpc/acceptors.ts';
import { address, boolean, data, hash32, integer64, quantity64, quantity256 } from '../../src/rpc/schemas.ts';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  address,
  boolean,
  data,
  hash32,
  integer64,
  quantity64,
  quantity256,
};

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

for (const [name, schema] of Object.entries(SCHEMAS)) {
  const accept = findAcceptor(schema);

  test(`${name}: what is accepted is what the schema makes of it, and no valid value is sent the long way`, () => {
    assert.ok(accept !== undefined);
    fc.assert(
      fc.property(values, (raw) => {
        const parsed = schema.safeParse(raw);
        assert.deepEqual(accept(raw), parsed.success ? parsed.data : undefined);
      }),
      { numRuns: 1_000 },
    );
  });
}

test('what is derived from a schema does not have its acceptor', () => {
  assert.equal(findAcceptor(quantity64.refine(() => false)), undefined);
  assert.equal(findAcceptor(data.meta({ title: 'other' })), undefined);
});

test('data as long as a body is looked at without a deep stack', () => {
  const text = `0x${'aB'.repeat(2_500_000)}`;
  assert.equal(findAcceptor(data)?.(text), text.toLowerCase());
  assert.equal(findAcceptor(data)?.(`${text}0g`), undefined);
});
