import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ItemSplitter } from '../../../packages/proofs/item-splitter.ts';

type Outcome = { readonly items: readonly unknown[]; readonly rest: string; readonly lists: number };

/** @param sizes piece sizes, repeated in turn */
function split(text: string, sizes: readonly number[], member?: string): Outcome {
  const bytes = new TextEncoder().encode(text);
  const items: unknown[] = [];
  const splitter = new ItemSplitter(
    (list) => void items.push(...(JSON.parse(new TextDecoder().decode(list)) as unknown[])),
    member,
  );
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    const piece = Buffer.from(bytes.subarray(at, at + size));
    splitter.add(piece);
    // The source reuses the piece's memory.
    piece.fill('!');
    at += size;
  }
  return { items, rest: splitter.rest, lists: splitter.lists };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const layout = fc.constantFrom(undefined, 1, '\t');

describe('ItemSplitter', () => {
  test('yields the items of a list in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), sizes, layout, (list, pieces, space) => {
        const { items, rest, lists } = split(JSON.stringify(list, null, space), pieces);
        assert.deepEqual(items, JSON.parse(JSON.stringify(list)));
        assert.deepEqual(JSON.parse(rest), []);
        assert.equal(lists, 1);
      }),
    );
  });

  test('yields the items of a member of an object, and returns the rest of the object', () => {
    const members = fc.dictionary(
      fc.string().filter((name) => name !== 'transactions'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        members,
        fc.array(fc.jsonValue()),
        members,
        sizes,
        layout,
        (before, list, after, pieces, space) => {
          const object = JSON.parse(JSON.stringify({ ...before, transactions: list, ...after })) as object;
          const { items, rest, lists } = split(JSON.stringify(object, null, space), pieces, 'transactions');
          assert.deepEqual(items, (object as { readonly transactions: unknown }).transactions);
          assert.deepEqual(JSON.parse(rest), { ...object, transactions: [] });
          assert.equal(lists, 1);
        },
      ),
    );
  });

  test('detects a repeated member, even if its name is escaped', () => {
    for (const name of ['transactions', 'transacti\\u006fns']) {
      const { lists } = split(`{"transactions":[1],"${name}":[2]}`, [3], 'transactions');
      assert.equal(lists, 2);
    }
  });

  test('ignores nested members of that name', () => {
    const text = '{"a":{"transactions":[1]},"b":[{"transactions":[2]}],"transactions":{"transactions":[3]}}';
    const { items, rest, lists } = split(text, [4], 'transactions');
    assert.deepEqual(items, []);
    assert.equal(lists, 0);
    assert.equal(rest, text);
  });

  test('yields nothing if the text is an object instead of a list', () => {
    const { items, lists } = split('{"a":[1]}', [2]);
    assert.deepEqual(items, []);
    assert.equal(lists, 0);
  });

  test('drops a too long item and all later items, but not the rest of the text', () => {
    const items: string[] = [];
    const splitter = new ItemSplitter((list) => void items.push(new TextDecoder().decode(list)), 'list');
    const add = (text: string): void => void splitter.add(new TextEncoder().encode(text));
    add('{"list":[1,"');
    const megabyte = 'x'.repeat(1 << 20);
    for (let i = 0; i < 32; i++) add(megabyte);
    assert.ok(splitter.hasOversized);
    add('",2],"after":3}');
    assert.deepEqual(items, ['[1]']);
    assert.equal(splitter.rest, '{"list":[],"after":3}');
  });

  test('yields items that are long only in total', () => {
    let items = 0;
    const splitter = new ItemSplitter(() => void items++);
    const item = new TextEncoder().encode(`"${'x'.repeat(1 << 20)}",`);
    splitter.add(Uint8Array.of(0x5b));
    for (let i = 0; i < 40; i++) splitter.add(item);
    splitter.add(new TextEncoder().encode('0]'));
    assert.ok(!splitter.hasOversized);
    assert.equal(items, 41);
  });
});
