import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeHexData, toHexData } from '../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import { encodeError, encodeResult, encodeSmallError } from '../../src/rpc/response.ts';
import { LARGE_TEXT, sliceText, streamParts } from '../../src/rpc/text-pieces.ts';

/** Largest piece, which bounds the work per turn of the event loop. */
const MAX_PIECE_BYTES = 3 * 64 * 1024 + 100;

async function read(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) {
    assert.ok(piece.length <= MAX_PIECE_BYTES, `${piece.length} bytes in one piece`);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  if (result.length !== undefined) assert.equal(bytes.length, result.length);
  return bytes.toString();
}

const LARGE = Uint8Array.from({ length: 1_000_003 }, (_, i) => i * 7);
const LARGE_HEX = `0x${Buffer.from(LARGE).toString('hex')}`;

test('long data stays bytes until it is sent in pieces', async () => {
  assert.equal(toHexData(LARGE), LARGE);
  assert.equal(toHexData(LARGE.subarray(0, 3)), '0x00070e');
  const result = encodeResult('"é"', encodeHexData(LARGE));
  assert.ok(typeof result !== 'string' && result.reservedBytes === LARGE.length);
  assert.equal(await read(result), `{"jsonrpc":"2.0","id":"é","result":"${LARGE_HEX}"}`);
});

test('revert data of any size is encoded in an error, from hex or from bytes', async () => {
  const small = new RpcError('executionReverted', ': no', '0x08');
  assert.equal(encodeError('1', small), encodeSmallError('1', small));
  const asText = encodeError('1', new RpcError('executionReverted', ': no', LARGE_HEX));
  const asBytes = encodeError('1', new RpcError('executionReverted', ': no', LARGE));
  assert.ok(typeof asText !== 'string' && typeof asBytes !== 'string');
  const expected = encodeSmallError('1', new RpcError('executionReverted', ': no', LARGE_HEX));
  assert.equal(await read(asText), expected);
  assert.equal(await read(asBytes), expected);
  const fewBytes = new RpcError('executionReverted', '', LARGE.subarray(0, 2));
  assert.deepEqual(JSON.parse(await read(encodeError('1', fewBytes))).error.data, '0x0007');
});

test('a long text is sent in pieces, a short one as it is', async () => {
  const text = JSON.stringify('é"💡'.repeat(LARGE_TEXT / 4));
  const result = encodeResult('1', text);
  assert.equal(typeof result, 'object');
  assert.equal(await read(result), `{"jsonrpc":"2.0","id":1,"result":${text}}`);
  assert.equal(encodeResult('1', '"0x"'), '{"jsonrpc":"2.0","id":1,"result":"0x"}');
});

test('text and bytes are joined and cut into pieces without loss', async () => {
  const units = fc.constantFrom(
    'a',
    'é',
    '💡'.repeat(40_000),
    `x${'💡'.repeat(40_000)}`,
    'b'.repeat(70_000),
    '',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(units, { maxLength: 6 }), async (parts) => {
      const mixed = parts.map((part, i) => (i % 3 === 2 ? Buffer.from(part).subarray(0, 60_000) : part));
      const expected = Buffer.concat(mixed.map((part) => Buffer.from(part as string)));
      assert.equal(await read(streamParts(mixed, 0)), expected.toString());

      assert.equal([...sliceText(parts.join(''))].join(''), parts.join(''));
    }),
    { numRuns: 30 },
  );
});
