import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { parseBlock, parseReportedHeader } from '../../../src/pool/heads/parse-block.ts';
import { countRuns } from '../../support/count-runs.ts';

const HASH = `0x${'AB'.repeat(32)}`;
const PARENT = `0x${'12'.repeat(32)}`;
const TRANSACTION = `0x${'34'.repeat(32)}`;
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

const minimal = { number: '0x10', hash: HASH, parentHash: PARENT, timestamp: '0x5', gasLimit: '0x1c9c380' };
const full = {
  ...minimal,
  baseFeePerGas: '0x7',
  extraData: '0xAA',
  difficulty: '0x2',
  transactionsRoot: PARENT,
  sha3Uncles: NO_UNCLES,
  transactions: [TRANSACTION],
  uncles: [],
  somethingNew: { of: 'a fork to come' },
};

function isFault(kind: string): (error: unknown) => boolean {
  return (error) => error instanceof UpstreamFault && error.kind === kind;
}

test('a header is parsed without the fields that some chains omit', () => {
  assert.deepEqual(parseReportedHeader(minimal), {
    number: 16n,
    hash: HASH.toLowerCase(),
    parentHash: PARENT,
    timestamp: 5n,
    gasLimit: 30_000_000n,
    baseFeePerGas: undefined,
    extraData: '0x',
    difficulty: 0n,
  });
  assert.deepEqual(
    parseReportedHeader({ ...minimal, baseFeePerGas: null, extraData: null, difficulty: null }),
    parseReportedHeader(minimal),
  );
  const header = parseReportedHeader(full);
  assert.deepEqual([header.baseFeePerGas, header.extraData, header.difficulty], [7n, '0xaa', 2n]);
});

test('leading zeros in a quantity are accepted', () => {
  assert.equal(parseReportedHeader({ ...minimal, number: `0x${'0'.repeat(40)}10` }).number, 16n);
});

test('transactions are hashes or whole objects', () => {
  assert.deepEqual(parseBlock(full).transactionHashes, [TRANSACTION]);
  const whole = { ...full, transactions: [{ hash: TRANSACTION, nonce: '0x0' }] };
  assert.deepEqual(parseBlock(whole), parseBlock(full));
});

test('uncles are listed, and may be omitted', () => {
  assert.deepEqual(parseBlock({ ...full, sha3Uncles: PARENT, uncles: [HASH] }).uncleHashes, [
    HASH.toLowerCase(),
  ]);
  assert.deepEqual(parseBlock({ ...full, uncles: undefined }).uncleHashes, []);
});

test('an empty block matches empty, zero and missing commitments', () => {
  const empty = { ...full, transactions: [], transactionsRoot: EMPTY_ROOT };
  assert.deepEqual(parseBlock(empty).transactionHashes, []);
  const zero = `0x${'0'.repeat(64)}`;
  parseBlock({ ...empty, transactionsRoot: zero, sha3Uncles: zero });
  parseBlock({ ...empty, transactionsRoot: undefined, sha3Uncles: undefined });
  parseBlock({ ...empty, transactionsRoot: EMPTY_ROOT.toUpperCase().replace('0X', '0x') });
});

test('a block that lists less than its commitments imply is wrong', () => {
  assert.throws(() => parseBlock({ ...full, transactions: [] }), isFault('wrong'));
  assert.throws(() => parseBlock({ ...full, sha3Uncles: PARENT }), isFault('wrong'));
  assert.throws(() => parseBlock({ ...full, sha3Uncles: PARENT, uncles: undefined }), isFault('wrong'));
});

for (const [name, values] of Object.entries({
  number: [undefined, null, 16, '16', '0x', '0xg', `0x1${'0'.repeat(16)}`],
  hash: [undefined, null, '0x12', PARENT.slice(2), `${PARENT}00`],
  parentHash: [undefined, null, 1, '0x'],
  timestamp: [undefined, null, 5, '-0x5'],
  gasLimit: [undefined, null, '0x', `0x1${'0'.repeat(64)}`],
  baseFeePerGas: ['7', 7, '0x'],
  extraData: ['0xa', 'aa', 1],
  difficulty: ['', {}],
})) {
  test(`${name} is validated`, () => {
    for (const value of values) {
      assert.throws(() => parseReportedHeader({ ...full, [name]: value }), isFault('malformed'), `${value}`);
    }
  });
}

test('lists are validated', () => {
  for (const transactions of [undefined, null, {}, [1], [null], [{}], ['0x12']]) {
    assert.throws(() => parseBlock({ ...full, transactions }), isFault('malformed'));
  }
  for (const uncles of [{}, 'none', [1]]) {
    assert.throws(() => parseBlock({ ...full, uncles }), isFault('malformed'));
  }
});

test('any JSON value yields a block or a fault, and no fault repeats its input', () => {
  const field = fc.oneof(fc.constantFrom(...Object.values(full)), fc.jsonValue());
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record(Object.fromEntries(Object.keys(full).map((key) => [key, field])), { requiredKeys: [] }),
  );
  fc.assert(
    fc.property(value, (json) => {
      try {
        const block = parseBlock(json);
        assert.match(block.hash, /^0x[0-9a-f]{64}$/);
      } catch (error) {
        assert.ok(error instanceof UpstreamFault);
        assert.ok(!error.message.includes('0x'));
      }
    }),
    { numRuns: countRuns(500) },
  );
});
