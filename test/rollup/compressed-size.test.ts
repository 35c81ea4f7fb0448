/** Compressed transaction sizes as Scroll counts them, compared with the library that Scroll's nodes use. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { findCompressedSize } from '../../src/rollup/scroll/compressed-size.ts';

const WORD = 32;
const hash = (of: number): Buffer => createHash('sha256').update(String(of)).digest();

/** Fills a buffer with words of 32 bytes; the last one is cut. */
function fill(length: number, word: (index: number) => Buffer): Buffer {
  const words = Array.from({ length: Math.ceil(length / WORD) }, (_, i) => word(i));
  return Buffer.concat(words).subarray(0, length);
}

const pad = (bytes: Buffer): Buffer => Buffer.concat([Buffer.alloc(WORD - bytes.length), bytes]);

const KINDS: Readonly<Record<string, (length: number) => Buffer>> = {
  zeros: (length) => Buffer.alloc(length),
  hashes: (length) => fill(length, hash),
  addresses: (length) => fill(length, (i) => pad(hash(i % 30).subarray(0, 20))),
  amounts: (length) => fill(length, (i) => pad(hash(i).subarray(0, 3))),
  calldata: (length) =>
    fill(length, (i) => (i % 3 === 0 ? hash(i % 40) : pad(hash(i).subarray(0, 1 + (i % 8))))),
};

/**
 * Sizes by the crate `zstd` 0.13 with the settings of Scroll's reth: level 3, LiteralCompressionMode disabled, WindowLog 22, TargetCBlockSize 126,976, no
 * checksum, magic number or dictionary id, the content size pledged and in the frame.
 */
const EXPECTED = `
addresses 1000 677
addresses 110 83
addresses 131072 681
addresses 20000 679
addresses 200000 693
addresses 330 239
addresses 5000 679
addresses 60000 679
amounts 1000 177
amounts 110 29
amounts 131072 13973
amounts 20000 2098
amounts 200000 21111
amounts 330 69
amounts 5000 556
amounts 60000 6366
calldata 1000 512
calldata 110 67
calldata 131072 16488
calldata 20000 3763
calldata 200000 24400
calldata 330 183
calldata 5000 1999
calldata 60000 8344
hashes 1000 1006
hashes 110 115
hashes 131072 131080
hashes 20000 20006
hashes 200000 200011
hashes 330 336
hashes 5000 5006
hashes 60000 60006
zeros 1000 15
zeros 110 13
zeros 131072 18
zeros 20000 15
zeros 200000 22
zeros 330 15
zeros 5000 15
zeros 60000 16
`;

for (const line of EXPECTED.trim().split('\n')) {
  const [kind = '', length = '', bytes = ''] = line.split(' ');
  test(`the compressed size of ${length} bytes of ${kind} is that of Scroll’s nodes`, async () => {
    const transaction = (KINDS[kind] as (length: number) => Buffer)(Number(length));
    // A transaction that compression makes longer counts uncompressed.
    assert.equal(await findCompressedSize(transaction), Math.min(Number(bytes), Number(length)));
  });
}
