import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { callObject } from '../../src/methods/call-object.ts';
import { ethCall } from '../../src/methods/eth_call.ts';
import { ethGetTransactionCount } from '../../src/methods/eth_getTransactionCount.ts';
import { METHODS } from '../../src/methods/table.ts';
import { ValueCounter } from '../../src/rpc/codec/codec.ts';
import { areLarge, type Param, parseParams, prepareParams } from '../../src/rpc/method.ts';
import { countRuns } from '../support/count-runs.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const HASH = `0x${'Cd'.repeat(32)}`;
const scalar = fc.constantFrom(
  '0x',
  '0x0',
  '0x1',
  '0xfF',
  '0X1',
  '0x01',
  '0xabcd',
  '0xabc',
  `0x${'f'.repeat(16)}`,
  `0x${'f'.repeat(64)}`,
  `0x1${'0'.repeat(64)}`,
  ADDRESS,
  ADDRESS.toLowerCase(),
  HASH,
  HASH.toLowerCase(),
  'latest',
  'safe',
  'Latest',
  '',
  null,
  true,
  7,
);
const FIELDS = [
  'from',
  'to',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'value',
  'nonce',
  'data',
  'input',
  'type',
  'chainId',
  'accessList',
  'blobVersionedHashes',
  'authorizationList',
  'blockHash',
  'blockNumber',
  'requireCanonical',
  'other',
  '__proto__',
];
/** Objects are built through JSON, like all input, so that `__proto__` is an ordinary member. */
const members = fc
  .array(
    fc.tuple(
      fc.constantFrom(...FIELDS),
      fc.oneof({ weight: 8, arbitrary: scalar }, fc.constantFrom([], {}, [HASH])),
    ),
    { maxLength: 5 },
  )
  .map((entries) =>
    JSON.parse(
      `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
    ),
  );
const hash = fc.oneof({ weight: 8, arbitrary: fc.constant(HASH.toLowerCase()) }, scalar);
const accountAddress = fc.constantFrom(ADDRESS.toLowerCase(), `0x${'1'.repeat(40)}`, ADDRESS, '__proto__');
const storage = fc.dictionary(hash.map(String), hash, { maxKeys: 3 });
const account = fc.record(
  {
    nonce: fc.constantFrom('0x1', '0X1', null),
    code: fc.constantFrom('0x', '0x0'),
    balance: fc.constant('0x0'),
    state: storage,
    stateDiff: storage,
    movePrecompileToAddress: accountAddress,
    other: fc.constant(1),
  },
  { requiredKeys: [] },
);
const overrides = fc
  .array(fc.tuple(accountAddress, fc.oneof({ weight: 8, arbitrary: account }, scalar)), { maxLength: 3 })
  .map((entries) =>
    JSON.parse(`{${entries.map((entry) => entry.map((part) => JSON.stringify(part)).join(':')).join()}}`),
  );
const accessList = fc.array(
  fc.record(
    { address: accountAddress, storageKeys: fc.array(hash, { maxLength: 3 }) },
    { noNullPrototype: true },
  ),
  { maxLength: 3 },
);
const listed = accessList.map((list) => ({ to: ADDRESS.toLowerCase(), accessList: list }));
const values = fc.oneof(scalar, members, overrides, listed, fc.jsonValue());

/** Formats as text, so that the order of members counts too. */
function format(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}

const only = (param: Param | undefined): readonly Param[] => (param === undefined ? [] : [param]);

for (const { name, params } of METHODS.filter((method) => method.params.length > 0)) {
  test(`${name}: the fast path, parsing in pieces and parsing at once have the same result`, () => {
    fc.assert(
      fc.property(fc.nat(params.length - 1), values, fc.boolean(), (position, raw, isPrepared) => {
        if (raw === null) return;
        const param = only(params[position]);
        const text = format(raw);
        const parsed = parse(() => param[0]?.codec.parse(JSON.parse(text)));
        const accepted = param[0]?.codec.accept?.(raw);
        if (accepted !== undefined) assert.deepEqual({ value: format(accepted) }, parsed);
        const rawParams = [raw];
        if (isPrepared) countPauses(param, rawParams);
        assert.deepEqual(
          parse(() => parseParams(param, rawParams)[0]),
          'problem' in parsed ? { problem: `invalid argument 0: ${parsed.problem}` } : parsed,
        );
        assert.equal(format(raw), text);
      }),
      { numRuns: countRuns(2_000) },
    );
  });
}

/** A declaration, which is hoisted: a test of a repeated file may start before its module is evaluated to the end. */
function countPauses(params: readonly Param[], raw: readonly unknown[]): number {
  return [...prepareParams(params, raw, new ValueCounter())].length;
}

/** Returns the value as text, or the message of the error. */
function parse(run: () => unknown): { readonly value: string } | { readonly problem: string } {
  try {
    return { value: format(run()) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const to = ADDRESS.toLowerCase();
const PLAIN_CALLS: readonly object[] = [
  {},
  { to, data: '0x70a08231' },
  { data: '0x70a08231', to },
  { from: null, to, gas: '0x5208', gasPrice: null, value: '0x0', input: '0x', nonce: '0x1' },
  { type: '0x2', chainId: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1', from: to },
  { accessList: [], blobVersionedHashes: [HASH.toLowerCase()] },
];
for (const call of PLAIN_CALLS) {
  test(`${JSON.stringify(call)} is accepted on the fast path`, () => {
    assert.equal(format(callObject.accept?.(call)), format(callObject.parse(call)));
  });
}

test('calls with unknown fields, upper case or anything invalid are left to parse', () => {
  for (const call of [{ other: 1 }, { to: '0x' }, { to: ADDRESS }, [], null, 'latest', { data: 5 }]) {
    assert.equal(callObject.accept?.(call), undefined);
  }
});

test('overrides that the chain refuses are accepted: state with stateDiff, and fields only for blocks to be built', () => {
  const states = { [to]: { state: {}, stateDiff: {} } };
  assert.equal(format(ethCall.params[2]?.codec.parse(states)), format(states));
  const block = { beaconRoot: HASH.toLowerCase(), withdrawals: [{}, 1] };
  assert.equal(format(ethCall.params[3]?.codec.parse(block)), format(block));
});

const PROBLEMS: readonly [position: number, raw: unknown, problem: string][] = [
  [0, [], 'expected an object, got an array'],
  [0, { to: 5, from: 5 }, 'from: expected a string, got a number'],
  [0, { accessList: {} }, 'accessList: expected an array, got an object'],
  [0, { accessList: [{ storageKeys: [] }] }, 'accessList[0].address: missing value'],
  [
    0,
    { accessList: [{ address: null, storageKeys: [] }] },
    'accessList[0].address: expected a string, got null',
  ],
  [0, { accessList: [{ address: to }] }, 'accessList[0].storageKeys: missing value'],
  [
    0,
    { accessList: [{ address: to, storageKeys: [HASH, '0x1'] }] },
    'accessList[0].storageKeys[1]: hex string of odd length',
  ],
  [0, { authorizationList: [{ chainId: '0x1' }] }, 'authorizationList[0].address: missing value'],
  [2, { [to]: { nonce: '0x1' }, '12': null, x: {} }, 'x: hex string without 0x prefix'],
  [2, { [to]: 5 }, `${to}: expected an object, got a number`],
  [2, { [to]: { state: {}, stateDiff: [] } }, `${to}.stateDiff: expected an object, got an array`],
  [2, { [to]: { state: { [HASH]: null } } }, `${to}.state.${HASH}: expected a string, got null`],
  [3, { beaconRoot: '0x' }, 'beaconRoot: hex string has length 0, want 64 for 32 bytes'],
  [3, { withdrawals: [], number: 1 }, 'number: expected a string, got a number'],
];
for (const [position, raw, problem] of PROBLEMS) {
  test(`${JSON.stringify(raw)} is refused: ${problem}`, () => {
    assert.throws(() => parseParams(only(ethCall.params[position]), [raw]), {
      message: `invalid argument 0: ${problem}`,
    });
  });
}

describe('parsing of large parameters', () => {
  const count = 5_000;
  const slots = Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`);
  const storageOf = (value: string): object => Object.fromEntries(slots.map((slot) => [slot, value]));
  const large = (value: string): readonly unknown[] => [
    { to, accessList: slots.map((slot) => ({ address: to, storageKeys: [slot] })) },
    'latest',
    { [to]: { nonce: '0x1', stateDiff: storageOf(value) }, [`0x${'0'.repeat(40)}`]: { code: '0x00' } },
  ];

  test('pauses in proportion to the number of values, at any nesting depth', () => {
    const raw = large(HASH.toLowerCase());
    assert.ok(countPauses(ethCall.params, raw) >= (3 * count) / 512);
    const [call, , overrides] = parseParams(ethCall.params, raw);
    assert.equal(call, raw[0]);
    assert.equal(overrides, raw[2]);
  });

  test('has the same result in pieces as at once where values are changed', () => {
    const raw = large(HASH);
    const prepared = large(HASH);
    assert.ok(countPauses(ethCall.params, prepared) >= (3 * count) / 512);
    assert.deepEqual(parseParams(ethCall.params, prepared), parseParams(ethCall.params, raw));
  });

  test('does not parse prepared parameters again, even if they are invalid', () => {
    for (const raw of [large(HASH), [{ to: 5 }]]) {
      countPauses(ethCall.params, raw);
      const outcome = parse(() => parseParams(ethCall.params, raw));
      Object.assign(raw, { 0: undefined });
      assert.deepEqual(
        parse(() => parseParams(ethCall.params, raw)),
        outcome,
      );
      assert.notDeepEqual(
        parse(() => parseParams(ethCall.params, [...raw])),
        outcome,
      );
    }
  });

  test('parses parameters again that were prepared for another method', () => {
    const raw = [to, '0x1', {}, {}, []];
    countPauses(ethCall.params, raw);
    assert.throws(() => parseParams(ethGetTransactionCount.params, raw), {
      message: 'too many arguments, want at most 2',
    });
  });

  test('treats lists, nested objects and objects with many members as large', () => {
    for (const small of [[{ to, data: '0x' }, 'latest', null, {}, true, 5], []])
      assert.equal(areLarge(small), false);
    for (const raw of [[], { [to]: {} }, { accessList: [] }]) assert.equal(areLarge([to, raw]), true);
  });

  test('stops at the first invalid value', () => {
    const raw = [{ accessList: Array.from({ length: 8_000 }, () => 5) }, 'latest'];
    assert.equal(countPauses(ethCall.params, raw), 0);
    for (const params of [raw, [...raw]]) {
      assert.throws(() => parseParams(ethCall.params, params), {
        message: 'invalid argument 0: accessList[0]: expected an object, got a number',
      });
    }
    assert.equal(countPauses(ethCall.params, [{}, 'latest', { [to]: { state: storageOf('0x1') } }]), 0);
  });

  test('refuses too many prepared parameters', () => {
    const raw = [{}, 'latest', {}, {}, 1];
    countPauses(ethCall.params, raw);
    assert.throws(() => parseParams(ethCall.params, raw), {
      message: 'too many arguments, want at most 4',
    });
  });
});

test('members without a codec are dropped, however many they are', () => {
  const noise = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  const [call] = parseParams(only(ethCall.params[0]), [{ ...noise, to: ADDRESS, value: null }]);
  assert.deepEqual(call, { to });
});
