import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BLANK_HEADER,
  encodeHeader,
  hasFieldsOf,
  hashHeader,
  headerFromRlp,
  OPTIONAL_FIELDS,
} from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { asList, decodeRlp, encodeRlp, type RlpItem } from '../../../../packages/ethereum/primitives/rlp.ts';
import { REVISIONS, rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { encodeHeaderJson } from '../../../../src/chain/block-json.ts';

const ZERO_32 = '00'.repeat(32);
const EMPTY_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const EMPTY_LIST = '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const NO_REQUESTS = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Result of `debug_getRawHeader` from geth 1.17.8 for an empty genesis with amsterdamTime 0 and slotNumber 0x1234. */
const GETH_HEADER =
  `0xf9027fa0${ZERO_32}a0${EMPTY_LIST}94${'00'.repeat(20)}${`a0${EMPTY_ROOT}`.repeat(3)}b90100${'00'.repeat(256)}` +
  `80808403938700801080a0${ZERO_32}88${'00'.repeat(8)}843b9aca00a0${EMPTY_ROOT}8080a0${ZERO_32}` +
  `a0${NO_REQUESTS}a0${EMPTY_LIST}821234`;
const GETH_HASH = '0xfe9f87a27a9b2ae0139c5a29f03865a01278bde30ec10253ff1638d5dc5e8b22';

const encoded = hexToBytes(GETH_HEADER);
const fields = asList(decodeRlp(encoded), 'header');

test('an Amsterdam header is decoded, encoded and hashed as by geth', () => {
  const header = headerFromRlp(fields);
  assert.equal(bytesToHex(header.blockAccessListHash as Uint8Array), `0x${EMPTY_LIST}`);
  assert.equal(header.slotNumber, 0x1234n);
  assert.equal(bytesToHex(encodeHeader(header)), GETH_HEADER);
  assert.equal(bytesToHex(hashHeader(header)), GETH_HASH);
});

test('the JSON of an Amsterdam header has both new fields, and that of an earlier header has neither', () => {
  const json = JSON.parse(encodeHeaderJson(headerFromRlp(fields), GETH_HASH));
  assert.equal(json.blockAccessListHash, `0x${EMPTY_LIST}`);
  assert.equal(json.slotNumber, '0x1234');
  const earlier = JSON.parse(encodeHeaderJson(headerFromRlp(fields.slice(0, 21)), GETH_HASH));
  assert.ok('requestsHash' in earlier);
  assert.ok(!('blockAccessListHash' in earlier) && !('slotNumber' in earlier));
});

test('errors name malformed Amsterdam fields', () => {
  const withField = (index: number, value: Uint8Array): RlpItem =>
    decodeRlp(encodeRlp(fields.map((field, i) => (i === index ? value : field)) as Uint8Array[]));
  assert.throws(() => headerFromRlp(withField(21, new Uint8Array(31))), /blockAccessListHash/);
  assert.throws(() => headerFromRlp(withField(22, Uint8Array.of(0, 1))), /slotNumber/);
  assert.throws(() => headerFromRlp(withField(22, new Uint8Array(9).fill(1))), /slotNumber/);
  assert.throws(() => headerFromRlp([...fields, Uint8Array.of(1)]), /header has 24 fields/);
});

test('an optional field cannot be encoded without the fields before it', () => {
  const { slotNumber, ...header } = headerFromRlp(fields);
  assert.throws(() => encodeHeader({ ...BLANK_HEADER, slotNumber: 1n }), /baseFeePerGas is missing/);
  const { blockAccessListHash, ...prague } = header;
  assert.ok(slotNumber !== undefined && blockAccessListHash !== undefined);
  assert.throws(() => encodeHeader({ ...prague, slotNumber }), /blockAccessListHash is missing/);
});

test('revisions add the optional fields in order, and a header has exactly those of its revision', () => {
  const header = headerFromRlp(fields);
  for (const revision of REVISIONS) {
    const { headerFields } = rulesOf(revision);
    const own = OPTIONAL_FIELDS.slice(0, headerFields.size);
    assert.deepEqual([...headerFields], own, revision);
    for (const count of OPTIONAL_FIELDS.keys()) {
      const provided = OPTIONAL_FIELDS.slice(0, count + 1).map((name) => [name, header[name]]);
      const fits = hasFieldsOf({ headerFields }, { ...BLANK_HEADER, ...Object.fromEntries(provided) });
      assert.equal(fits, provided.length === own.length, `${revision} with ${provided.length} fields`);
    }
  }
});
