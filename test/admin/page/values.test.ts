/** Computations of the page that need no document: numbers, values of forms, answers in words. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAuthorization } from '../../../src/admin/page/console/authorization.ts';
import { formatCurlLine } from '../../../src/admin/page/console/code/curl-line.ts';
import {
  describeData,
  describeFields,
  describeQuantity,
  formatUnits,
} from '../../../src/admin/page/console/describe-value.ts';
import { indentJson } from '../../../src/admin/page/console/indent-json.ts';
import type { OpenRpcSchema } from '../../../src/admin/page/console/open-rpc.ts';
import { decodeRevert } from '../../../src/admin/page/console/revert.ts';
import { parseValue, ValueProblem } from '../../../src/admin/page/console/values.ts';
import {
  formatBytes,
  formatMs,
  formatShare,
  formatSpan,
  shortenMiddle,
} from '../../../src/admin/page/format.ts';

const QUANTITY: OpenRpcSchema = {
  title: 'quantity',
  type: 'string',
  pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
};
const HASH: OpenRpcSchema = { title: 'block hash', type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };
const BLOCK: OpenRpcSchema = {
  oneOf: [
    { ...QUANTITY, title: 'block number' },
    { title: 'block tag', type: 'string', enum: ['latest', 'finalized'] },
    HASH,
    { title: 'EIP-1898 object', type: 'object' },
  ],
};
const hash = `0x${'ab'.repeat(32)}`;

const values: readonly (readonly [text: string, schema: OpenRpcSchema, value: unknown])[] = [
  ['21000', QUANTITY, '0x5208'],
  ['1,000_000', QUANTITY, '0xf4240'],
  ['0x5208', QUANTITY, '0x5208'],
  ['0x005208', QUANTITY, '0x5208'],
  ['0', QUANTITY, '0x0'],
  [' latest ', BLOCK, 'latest'],
  ['59', BLOCK, '0x3b'],
  [hash, BLOCK, hash],
  ['{"blockHash":"0x"}', BLOCK, { blockHash: '0x' }],
  ['[]', { type: 'array' }, []],
  ['12', { type: 'integer' }, 12],
];
for (const [text, schema, value] of values) {
  test(`parses ${text} as ${JSON.stringify(value)}`, () => assert.deepEqual(parseValue(text, schema), value));
}

for (const [text, schema, message] of [
  ['never', BLOCK, /a number, decimal or 0x hex|a tag/],
  ['-1', QUANTITY, /expected a number, decimal or 0x hex/],
  ['1.5', QUANTITY, /expected a number/],
  ['0x1ffffffffffffffff', QUANTITY, /expected a number/],
  ['{', BLOCK, /expected JSON/],
  ['x', { type: 'object' }, /expected JSON/],
  ['0x12', HASH, /expected a block hash/],
] as const) {
  test(`rejects ${text}`, () => {
    assert.throws(
      () => parseValue(text, schema),
      (error) => error instanceof ValueProblem && message.test(error.message),
    );
  });
}

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const text = (value: string): string => {
  const hex = Buffer.from(value).toString('hex');
  return word(32) + word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
};

test('decodeRevert names the kind and the reason', () => {
  assert.deepEqual(decodeRevert(`0x08c379a0${text('no <b>ether</b> left')}`), {
    kind: 'Error(string)',
    text: 'no <b>ether</b> left',
  });
  assert.deepEqual(decodeRevert(`0x4e487b71${word(0x11)}`), {
    kind: 'Panic(uint256)',
    text: 'arithmetic underflow or overflow (0x11)',
  });
  assert.equal(decodeRevert(`0x4e487b71${word(2n ** 255n)}`).kind, 'Panic(uint256)');
  assert.equal(decodeRevert('0x').kind, 'no data');
  assert.equal(decodeRevert('0x12').kind, 'raw data');
  assert.match(decodeRevert(`0xdeadbeef${word(1)}`).text, /0xdeadbeef, 32 bytes/);
  for (const payload of ['', word(32), word(2n ** 200n), word(32) + word(2n ** 60n), word(32) + word(5)]) {
    assert.equal(decodeRevert(`0x08c379a0${payload}`).kind, 'custom error');
  }
});

test('decodeRevert describes arbitrary data without throwing', () => {
  const selector = fc.constantFrom('08c379a0', '4e487b71', '');
  const payload = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(selector, payload, (head, bytes) => {
      assert.notEqual(decodeRevert(`0x${head}${Buffer.from(bytes).toString('hex')}`).text, undefined);
    }),
  );
});

test('quantities are described with the unit of their name', () => {
  assert.deepEqual(describeQuantity('0x5208', 'gas'), { text: '21,000', note: '0x5208' });
  assert.deepEqual(describeQuantity('0xde0b6b3a7640000', 'value'), {
    text: '1,000,000,000,000,000,000',
    note: '1 ether',
  });
  assert.equal(describeQuantity('0x3b9aca01', 'gasPrice').note, '1.000000001 gwei');
  assert.equal(describeQuantity('0x6553f2ad', 'timestamp').note, '2023-11-14 22:20:29 UTC');
  assert.equal(formatUnits(1n, 18), '0.000000000000000001');
});

test('describeFields lists all fields, including those of nested objects', () => {
  const schema: OpenRpcSchema = {
    anyOf: [{ type: 'object', properties: { gas: QUANTITY, inner: { type: 'object' } } }, { type: 'null' }],
  };
  const rows = describeFields(
    { gas: '0x10', to: null, list: [], inner: { timestamp: 0 }, logsBloom: `0x${'00'.repeat(256)}` },
    schema,
  );
  assert.deepEqual(
    rows.map(({ name, text, note }) => `${name}: ${text}${note === undefined ? '' : ` (${note})`}`),
    [
      'gas: 16 (0x10)',
      'to: –',
      'list: none',
      'inner.timestamp: 0 (1970-01-01 00:00:00 UTC)',
      `logsBloom: 0x${'0'.repeat(32)}…${'0'.repeat(16)} (256 bytes)`,
    ],
  );
});

test('describeData lists every plausible interpretation of returned data', () => {
  const names = (data: string): readonly string[] => describeData(data).map(({ name }) => name);
  assert.deepEqual(names('0x'), ['length']);
  assert.deepEqual(names(`0x${word(5)}`), ['length', 'as a number']);
  assert.deepEqual(names(`0x${'0'.repeat(24)}${'b2'.repeat(20)}`), [
    'length',
    'as a number',
    'as an address',
  ]);
  assert.equal(describeData(`0x${text('PORT')}`)[1]?.text, 'PORT');
});

test('indentJson preserves every value, including all digits', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(indentJson(JSON.stringify(value))), JSON.parse(JSON.stringify(value)));
    }),
  );
  assert.equal(
    indentJson('{"a":[1e400,{}],"b":123456789012345678901}'),
    '{\n  "a": [\n    1e400,\n    {}\n  ],\n  "b": 123456789012345678901\n}',
  );
  assert.equal(indentJson('not json'), 'not json');
});

/** Splits a command line after `curl -s` into words, with a shell. */
function splitLine(line: string): string[] {
  const shown = execFileSync('sh', ['-c', line.replace(/^curl -s/, "printf '%s\\n'")], { encoding: 'utf8' });
  return shown.split('\n').slice(0, -1);
}

test('a shell parses the curl command into the intended arguments', () => {
  const body = '{"a":"it\'s $HOME `x` \\\\ \\"y\\" "}';
  const call = {
    scheme: 'http',
    authority: '127.0.0.1:8545',
    network: { name: 'devnet', host: 'devnet.localhost' },
    key: 'demo',
    body,
  } as const;
  assert.deepEqual(splitLine(formatCurlLine(call)), [
    'http://127.0.0.1:8545/devnet/v3/demo',
    '-H',
    'Content-Type: application/json',
    '-d',
    body,
  ]);
});

test('over TLS the curl command connects to the host name of the certificate, with the credentials of the key', () => {
  const authorization = formatAuthorization({ secret: 'sesame', token: 'a.b.c' });
  const line = formatCurlLine({
    scheme: 'https',
    authority: '[::1]:8545',
    network: { name: 'mainnet', host: 'mainnet.example.org' },
    key: 'k',
    authorization,
    body: '{}',
  });
  assert.deepEqual(splitLine(line), [
    '--connect-to',
    '::[::1]:8545',
    'https://mainnet.example.org:8545/v3/k',
    '-H',
    'Authorization: Basic OnNlc2FtZQ==, Bearer a.b.c',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{}',
  ]);
});

test('numbers are formatted with units', () => {
  assert.equal(formatBytes(0), '0 bytes');
  assert.equal(formatBytes(48_200_000), '46 MiB');
  assert.equal(formatMs(0.214), '0.21 ms');
  assert.equal(formatMs(12_345), '12.3 s');
  assert.equal(formatMs(undefined), '–');
  assert.equal(formatShare(0.004), '0.4%');
  assert.equal(formatShare(1), '100%');
  assert.equal(formatSpan(273_600_000), '3 d 4 h');
  assert.equal(formatSpan(61_000), '1 min 1 s');
  assert.equal(formatSpan(-5), '0 s');
  assert.equal(shortenMiddle(hash), '0xababab…ababab');
});
