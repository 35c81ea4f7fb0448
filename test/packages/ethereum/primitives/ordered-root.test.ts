import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../../../packages/ethereum/primitives/keccak.ts';
import { MerkleTrie } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { computeOrderedRoot, OrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { RlpWriter } from '../../../../packages/ethereum/primitives/rlp-writer.ts';
import { ListText } from '../../../../packages/proofs/list-text.ts';
import { countRuns } from '../../../support/count-runs.ts';

/** Root of the trie that holds a list, as hex text. */
function hashTrieOf(values: readonly Uint8Array[]): string {
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, () => undefined);
  for (const [index, value] of values.entries()) trie.put(encodeRlp(BigInt(index)), value);
  return bytesToHex(trie.commit(() => undefined));
}

const hashList = (values: readonly Uint8Array[]): string => bytesToHex(computeOrderedRoot(values));

test('the root of a list equals that of its trie', () => {
  const lists = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 300 });
  fc.assert(
    fc.property(lists, (values) => {
      assert.equal(hashList(values), hashTrieOf(values));
    }),
  );
});

test('interleaved computations of roots do not affect each other', () => {
  const [one, other] = [new OrderedRoot(), new OrderedRoot()];
  const values = Array.from({ length: 200 }, (_, i) => new Uint8Array(1 + (i % 90)).fill(1 + i));
  for (const value of values) {
    one.add(value);
    other.add(value.subarray(0, 1));
  }
  assert.equal(bytesToHex(one.finish()), hashTrieOf(values));
  assert.equal(bytesToHex(other.finish()), hashTrieOf(values.map((value) => value.subarray(0, 1))));
});

test('a list that is added item by item needs less than 100 buffered nodes', () => {
  const root = new OrderedRoot();
  for (let i = 0; i < 70_000; i++) {
    root.add(Uint8Array.of(i & 255, i >> 8, 1));
    assert.ok(root.reserved < 100, `${root.reserved} nodes after ${i} items`);
  }
});

test('the root is correct for every length up to 300 and for indices of three bytes', () => {
  const values = Array.from({ length: 70_000 }, (_, i) => new Uint8Array(1 + (i % 90)).fill(1 + (i % 250)));
  for (let length = 0; length <= 300; length++) {
    const list = values.slice(0, length);
    assert.equal(hashList(list), hashTrieOf(list), `${length} values`);
  }
  assert.equal(hashList(values), hashTrieOf(values));
});

/** Root of a JSON text with one item per value, where each item is parsed and encoded as that value. */
function hashInText(values: readonly Uint8Array[]): string | undefined {
  const item = JSON.stringify({ padding: 'x'.repeat(300) });
  const list = ListText.load(`[${values.map(() => item).join()}]`) as ListText;
  const block = { hash: `0x${'11'.repeat(32)}`, number: 1n, timestamp: 1n, baseFeePerGas: undefined };
  assert.ok(list.readTransactions(block, 0, (_, index) => values[index]));
  assert.deepEqual(list.encodings, values);
  return list.hashTrie();
}

test('the root of a list in a JSON text is the same, for lengths up to 300 and items of any size', () => {
  const sizes = [1, 1, 27, 28, 29, 30, 31, 32, 33, 55, 56, 57, 136, 255, 256, 257];
  const values = Array.from({ length: 300 }, (_, i) => {
    const size = sizes[(i * 7) % sizes.length] as number;
    return new Uint8Array(size).fill(i % 3 === 0 ? 0x7f : 0x80 + (i % 100));
  });
  for (let length = 0; length <= 300; length++) {
    const list = values.slice(0, length);
    assert.equal(hashInText(list), hashTrieOf(list), `${length} values`);
  }
  const lists = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(lists, (list) => assert.equal(hashInText(list), hashTrieOf(list))));
});

type Tree = Uint8Array | bigint | readonly Tree[];

/** Writes an `encodeRlp` input. */
function write(writer: RlpWriter, tree: Tree): void {
  if (tree instanceof Uint8Array) assert.ok(writer.data(bytesToHex(tree)));
  else if (typeof tree === 'bigint') assert.ok(writer.quantity(`0x${tree.toString(16)}`));
  else {
    const mark = writer.mark;
    for (const item of tree.toReversed()) write(writer, item);
    writer.list(mark);
  }
}

test('RLP that is written backwards equals encodeRlp', () => {
  const { tree } = fc.letrec<{ tree: Tree; list: Tree[] }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.uint8Array({ maxLength: 120 }),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      tie('list'),
    ),
    list: fc.array(tie('tree'), { maxLength: 8 }),
  }));
  const writer = new RlpWriter();
  fc.assert(
    fc.property(tree, (item) => {
      write(writer, item);
      assert.deepEqual(writer.take(0), encodeRlp(item));
    }),
    { numRuns: countRuns(1_000) },
  );
});

test('RlpWriter refuses invalid hex without writing anything', () => {
  const writer = new RlpWriter();
  for (const text of [
    '',
    '0',
    '0x0',
    '0xg0',
    '0x0g',
    'x0x0',
    `0x${'0'.repeat(99)}g`,
    '0x\u0100\u0100',
    ' 0x00',
  ]) {
    assert.equal(writer.data(text), false, text);
  }
  for (const text of ['', '0', '0x', '0xg', '1x1', '0x-1', '0x1g', '0xg1']) {
    assert.equal(writer.quantity(text), false, text);
  }
  assert.equal(writer.mark, 0);
});

test('RlpWriter grows beyond its initial buffer', () => {
  const writer = new RlpWriter();
  const long = new Uint8Array(200_000).fill(7);
  writer.bytes(long);
  writer.data(bytesToHex(long));
  writer.list(0);
  assert.deepEqual(writer.take(0), encodeRlp([long, long]));
});
