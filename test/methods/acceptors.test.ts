import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptStateOverrides, checkLargeParams } from '../../src/methods/accept-overrides.ts';
import { callObject } from '../../src/methods/call-object.ts';
import { METHODS } from '../../src/methods/table.ts';
import { findAcceptor } from '../../src/rpc/acceptors.ts';
import { parseParams } from '../../src/rpc/method.ts';

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
/** Built through JSON, like all that comes in: so that `__proto__` is a member like any other. */
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

/** As text, so that the order of members counts too. */
function format(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}

for (const { name, params } of METHODS.filter((method) => method.params.length > 0)) {
  test(`${name}: what an acceptor takes, the schema takes too, with the same result`, () => {
    fc.assert(
      fc.property(fc.nat(params.length - 1), values, fc.boolean(), (position, raw, isChecked) => {
        const param = params[position];
        assert.ok(param !== undefined);
        if (raw === null) return;
        const before = format(raw);
        const [expected] = accepts(() => parseParams([param], [JSON.parse(before)])) ?? [];
        if (isChecked) for (const _ of checkLargeParams([raw, 'latest', raw]));
        const accepted = findAcceptor(param.schema)?.(raw);
        assert.equal(format(raw), before);
        if (accepted === undefined) return;
        assert.deepEqual(accepted, expected);
        assert.equal(format(accepted), format(expected));
      }),
      { numRuns: 2_000 },
    );
  });
}

function accepts(parse: () => unknown[]): unknown[] | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

const PLAIN_CALLS: readonly object[] = [
  {},
  { to: ADDRESS.toLowerCase(), data: '0x70a08231' },
  { data: '0x70a08231', to: ADDRESS },
  { from: null, to: ADDRESS, gas: '0x5208', gasPrice: null, value: '0x0', input: '0x', nonce: '0x1' },
  { type: '0x2', chainId: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1', from: ADDRESS },
];
for (const call of PLAIN_CALLS) {
  test(`${JSON.stringify(call)} needs no schema`, () => {
    assert.deepEqual(findAcceptor(callObject)?.(call), callObject.parse(call));
  });
}

test('calls with lists, unknown fields or anything invalid are left to the schema', () => {
  for (const call of [
    { blobVersionedHashes: [] },
    { other: 1 },
    { to: '0x' },
    [],
    null,
    'latest',
    { data: 5 },
  ]) {
    assert.equal(findAcceptor(callObject)?.(call), undefined);
  }
});

test('overrides and access lists that are as the schema leaves them are taken, checked before or not', () => {
  const slots = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, i) => [`0x${i.toString(16).padStart(64, '0')}`, HASH.toLowerCase()]),
  );
  const to = ADDRESS.toLowerCase();
  const raw = { [to]: { nonce: '0x1', stateDiff: slots }, [`0x${'0'.repeat(40)}`]: { code: '0x00' } };
  const call = { to, accessList: [{ address: to, storageKeys: Object.keys(slots) }] };
  assert.equal(acceptStateOverrides(raw), raw);
  assert.equal(findAcceptor(callObject)?.(call), call);
  let pauses = 0;
  for (const _ of checkLargeParams([call, 'latest', raw])) pauses++;
  assert.ok(pauses > 8);
  assert.equal(acceptStateOverrides(raw), raw);
  assert.equal(findAcceptor(callObject)?.(call), call);
});

test('members that no schema names cost nothing, however many they are', () => {
  const noise = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  const [call] = parseParams(
    [{ name: 'call', description: '', required: true, schema: callObject }],
    [{ ...noise, to: ADDRESS, value: null }],
  ) as [unknown];
  assert.deepEqual(call, { to: ADDRESS.toLowerCase() });
});
