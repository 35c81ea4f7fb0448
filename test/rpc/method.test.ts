import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Codec } from '../../src/rpc/codec/codec.ts';
import { listOf } from '../../src/rpc/codec/list-codec.ts';
import { objectOf, required } from '../../src/rpc/codec/object-codec.ts';
import { recordOf } from '../../src/rpc/codec/record-codec.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import { type Param, parseParams } from '../../src/rpc/method.ts';
import { address, data, hash32, integer64, quantity64, quantity256 } from '../../src/rpc/schemas.ts';

function param(codec: Codec<unknown>, isRequired = true): Param {
  return { name: 'p', description: 'A parameter.', required: isRequired, codec };
}

function problemOf(params: readonly Param[], raw: readonly unknown[]): string {
  try {
    parseParams(params, raw);
  } catch (error) {
    assert.ok(error instanceof RpcError);
    assert.equal(error.row.code, -32602);
    return error.message;
  }
  return assert.fail('the parameters were accepted');
}

const PROBLEMS: readonly [codec: Codec<unknown>, raw: unknown, problem: string][] = [
  [quantity64, '1', 'hex string without 0x prefix'],
  [quantity64, '0x', 'hex string "0x"'],
  [quantity64, '0x', 'hex string "0x"'],
  [quantity64, '0x01', 'hex number with leading zero digits'],
  [quantity64, '0xzz', 'invalid hex string'],
  [quantity64, '0x10000000000000000', 'hex number > 64 bits'],
  [quantity256, `0x1${'0'.repeat(64)}`, 'hex number > 256 bits'],
  [quantity64, 5, 'expected a string, got a number'],
  [quantity64, { a: 1 }, 'expected a string, got an object'],
  [quantity64, ['0x1'], 'expected a string, got an array'],
  [data, 'ab', 'hex string without 0x prefix'],
  [data, '0xabc', 'hex string of odd length'],
  [data, '0xgg', 'invalid hex string'],
  [data, '0x1 ', 'invalid hex string'],
  [address, '0xab', 'hex string has length 2, want 40 for address'],
  [address, `0x${'g'.repeat(40)}`, 'invalid hex string'],
  [hash32, `0x${'a'.repeat(40)}`, 'hex string has length 40, want 64 for 32 bytes'],
  [objectOf('o', { gas: required(quantity64) }), { gas: '1' }, 'gas: hex string without 0x prefix'],
  [objectOf('o', { gas: required(quantity64) }), {}, 'gas: missing value'],
  [objectOf('o', { gas: required(quantity64) }), 'x', 'expected an object, got a string'],
  [
    objectOf('o', { list: required(listOf(objectOf('i', { a: required(address) }))) }),
    { list: [{ a: '0x' }] },
    'list[0].a: hex string has length 0, want 40 for address',
  ],
  [recordOf(address, data, { title: 'r' }), { nokey: '0x' }, 'nokey: hex string without 0x prefix'],
];
for (const [codec, raw, problem] of PROBLEMS) {
  test(`${JSON.stringify(raw)} is refused: ${problem}`, () => {
    assert.equal(problemOf([param(data), param(codec)], ['0x', raw]), `invalid argument 1: ${problem}`);
  });
}

test('hex is accepted in either case and converted to lower case', () => {
  assert.deepEqual(parseParams([param(data), param(quantity64), param(integer64)], ['0XAB', '0xFf', '0xA']), [
    '0xab',
    '0xff',
    10n,
  ]);
  assert.deepEqual(
    parseParams(
      [param(recordOf(hash32, hash32, { title: 'r' }))],
      [{ [`0x${'A'.repeat(64)}`]: `0x${'B'.repeat(64)}` }],
    ),
    [{ [`0x${'a'.repeat(64)}`]: `0x${'b'.repeat(64)}` }],
  );
});

test('missing and surplus arguments are refused', () => {
  const params = [param(quantity64), param(quantity64, false)];
  assert.equal(problemOf(params, []), 'missing value for required argument 0');
  assert.equal(problemOf(params, [null]), 'missing value for required argument 0');
  assert.equal(problemOf(params, ['0x1', '0x1', '0x1']), 'too many arguments, want at most 2');
  assert.deepEqual(parseParams(params, ['0x1', null]), ['0x1', undefined]);
  assert.deepEqual(parseParams(params, ['0x1']), ['0x1', undefined]);
});

test('an error repeats at most 80 characters of a name', () => {
  const problem = problemOf(
    [param(recordOf(address, data, { title: 'r' }))],
    [{ ['k'.repeat(1_000)]: '0x' }],
  );
  assert.ok(problem.length < 150, problem);
});
