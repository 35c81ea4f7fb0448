import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PieceList } from '../../../src/pool/transport/piece-list.ts';
import { Random } from '../../geth/requests/random.ts';

const READ_BYTES = 128 * 1024;
const BLOCK_BYTES = 32 * 1024;

/** A chunk of `length` bytes at the start of its own read buffer. */
function cut(length: number, fill: number): Uint8Array {
  return Buffer.alloc(READ_BYTES, fill).subarray(0, length);
}

function countReserved(list: PieceList): number {
  let reserved = 0;
  for (const memory of new Set([...list].map(({ buffer }) => buffer))) reserved += memory.byteLength;
  return reserved;
}

for (const lengths of [[1], [100], [16_383], [16_384], [40_000], [16_384, 1], [16_384, 16_383]]) {
  test(`pieces of ${lengths.join(' and ')} bytes reserve at most ten times their sum plus a read and a block`, () => {
    const list = new PieceList();
    let sum = 0;
    for (let i = 0; i < 200; i++)
      for (const length of lengths) {
        list.push(cut(length, i));
        sum += length;
      }
    assert.ok(
      countReserved(list) <= 10 * sum + READ_BYTES + BLOCK_BYTES,
      `${countReserved(list)} bytes for ${sum}`,
    );
    assert.equal(list.join().length, sum);
  });
}

test('a single piece is not copied', () => {
  const list = new PieceList();
  const piece = Buffer.from('one');
  list.push(piece);
  assert.equal(list.join(), piece);
});

test('pieces of all lengths are returned in order, whenever they are taken', () => {
  const random = new Random(7, 0);
  for (let round = 0; round < 50; round++) {
    const list = new PieceList();
    const pushed: Uint8Array[] = [];
    const taken: Uint8Array[] = [];
    for (let i = 0; i < 200; i++) {
      const piece = cut(random.below(2) === 0 ? random.below(30) : random.below(20_000), random.below(256));
      list.push(piece);
      pushed.push(piece);
      if (random.below(3) === 0) taken.push(list.shift() as Uint8Array);
    }
    taken.push(...list);
    list.clear();
    assert.equal(list.length, 0);
    assert.ok(Buffer.concat(taken).equals(Buffer.concat(pushed)));
  }
});
