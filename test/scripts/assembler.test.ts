import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { assemble, deployCode } from '../../scripts/assembler.ts';
import { OPCODES } from '../../scripts/opcodes.ts';

function assembleHex(source: string): string {
  return bytesToHex(assemble(source));
}

test('mnemonics of every opcode range are assembled', () => {
  assert.equal(
    assembleHex('STOP CLZ SHA3 EXTCODEHASH BLOBBASEFEE PUSH0 DUP1 DUP16 SWAP16 LOG0 LOG4 CREATE2 STATICCALL'),
    '0x001e203f4a5f808f9fa0a4f5fa',
  );
  assert.equal(assembleHex('REVERT INVALID SELFDESTRUCT PREVRANDAO MCOPY'), '0xfdfeff445e');
  assert.equal(new Set(OPCODES.values()).size, OPCODES.size);
});

test('numbers take the shortest push, and zero takes one byte', () => {
  assert.equal(assembleHex('0 1 255 256 0x0100 0x0000'), '0x6000600160ff6101006101006000');
  assert.equal(assembleHex(`0x${'ff'.repeat(32)}`), `0x7f${'ff'.repeat(32)}`);
});

test('explicit pushes keep their width', () => {
  assert.equal(assembleHex('PUSH4 0x1 PUSH1 7'), '0x63000000016007');
});

test('comments, raw bytes and label positions are assembled', () => {
  assert.equal(assembleHex('@data ; STOP\n data:: raw:0xc0ffee'), '0x6002c0ffee');
});

test('jumps forward and back are assembled', () => {
  assert.equal(assembleHex('@end JUMP back: STOP end: @back JUMP'), '0x6005565b005b600356');
});

test('labels beyond 255 take two bytes everywhere', () => {
  const filler = 'raw:0x'.concat('00'.repeat(251));
  assert.equal(assembleHex(`@end JUMP ${filler} end:`).slice(0, 8), '0x60fe56');
  assert.equal(assembleHex(`@end JUMP ${filler} STOP STOP end:`).slice(0, 10), '0x61010156');
});

test('errors name the invalid source text', () => {
  assert.throws(() => assemble('PUSH0 BOGUS'), /cannot assemble "BOGUS"/);
  assert.throws(() => assemble('@nowhere JUMP'), /label "nowhere" is not defined/);
  assert.throws(() => assemble('a: a:'), /label "a" is defined twice/);
  assert.throws(() => assemble('PUSH1'), /cannot assemble ""/);
  assert.throws(() => assemble('PUSH1 256'), /do not fit in 1/);
  assert.throws(() => assemble(`0x1${'00'.repeat(32)}`), /does not fit in a word/);
  assert.throws(() => assemble('-1'), /cannot assemble "-1"/);
});

test('any word is pushed as its shortest bytes', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (value) => {
      const code = assemble(value.toString());
      assert.equal(code.length, (code[0] as number) - 0x60 + 2);
      assert.equal(BigInt(bytesToHex(code.subarray(1))), value);
      assert.notEqual(code[1], 0);
    }),
  );
});

test('init code contains the runtime code at its end', () => {
  const runtime = assemble('CALLER STOP');
  assert.equal(bytesToHex(deployCode(runtime)), '0x600280600b6000396000f33300');
  assert.equal(bytesToHex(deployCode(runtime, '1 0 SSTORE')), '0x600160005560028060106000396000f33300');
});
