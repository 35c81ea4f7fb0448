import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../../../packages/ethereum/primitives/keccak.ts';
import { MerkleTrie, MissingTrieNodeError } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { decodeTrieNode, type Nibbles } from '../../../../packages/ethereum/primitives/trie-node.ts';
import { countRuns } from '../../../support/count-runs.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

class NodeStore {
  readonly nodes = new Map<string, Uint8Array>();
  readonly load = (path: Nibbles): Uint8Array | undefined => this.nodes.get(bytesToHex(path));
  readonly store = (path: Nibbles, encoded: Uint8Array | undefined): void => {
    if (encoded === undefined) this.nodes.delete(bytesToHex(path));
    else this.nodes.set(bytesToHex(path), encoded);
  };
}

type Entry = readonly [key: Uint8Array, value: Uint8Array];

function build(entries: Iterable<Entry>): { root: string; store: NodeStore } {
  const store = new NodeStore();
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, store.load);
  for (const [key, value] of entries) trie.put(key, value);
  return { root: bytesToHex(trie.commit(store.store)), store };
}

// The examples come from the yellow paper's community and geth's trie tests.
test('roots match known examples', () => {
  const dogs = [
    ['doe', 'reindeer'],
    ['dog', 'puppy'],
    ['dogglesworth', 'cat'],
  ].map(([key = '', value = '']) => [utf8(key), utf8(value)] as const);
  assert.equal(build(dogs).root, '0x8aad789dff2f538bca5d8ea56e8abe10f4c7ba3a5dea95fea4cd6e7c3a1168d3');
  assert.equal(
    build([[utf8('A'), utf8('a'.repeat(50))]]).root,
    '0xd23786fb4a010da3ce639d66d5e904a11dbc02746d1ce25029e53290cabf28ab',
  );
  assert.equal(build([]).root, bytesToHex(EMPTY_TRIE_ROOT));
});

// Short keys over two nibble values share prefixes, nest and collide, so every shape of node occurs. Values are short (their nodes are embedded in the
// parents), long, or empty (the key is deleted).
const key = fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0x11), { minLength: 1, maxLength: 4 });
const value = fc.oneof(
  fc.uint8Array({ maxLength: 3 }),
  fc.uint8Array({ minLength: 20, maxLength: 40 }),
  fc.constant(new Uint8Array(0)),
);
const step = fc.record({ key, value, isCommitted: fc.boolean(), isReopened: fc.boolean() });

test('the root and the stored nodes depend only on the contents, not on the order of changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const store = new NodeStore();
      const contents = new Map<string, Entry>();
      let trie = new MerkleTrie(EMPTY_TRIE_ROOT, store.load);
      for (const { key: bytes, value: put, isCommitted, isReopened } of steps) {
        const entry = [Uint8Array.from(bytes), put] as const;
        trie.put(...entry);
        if (put.length === 0) contents.delete(bytes.join());
        else contents.set(bytes.join(), entry);
        assert.deepEqual(trie.get(entry[0]), contents.get(bytes.join())?.[1]);
        if (!isCommitted) continue;
        const root = trie.commit(store.store);
        if (isReopened) trie = new MerkleTrie(root, store.load);
      }
      const root = trie.commit(store.store);
      const fresh = build(contents.values());
      assert.equal(bytesToHex(root), fresh.root);
      assert.deepEqual(new Map([...store.nodes].sort()), new Map([...fresh.store.nodes].sort()));
      const reopened = new MerkleTrie(root, store.load);
      for (const { key: bytes } of steps) {
        assert.deepEqual(reopened.get(Uint8Array.from(bytes)), contents.get(bytes.join())?.[1]);
      }
    }),
    { numRuns: countRuns(2_000) },
  );
});

test('a commit without changes writes nothing', () => {
  const { root, store } = build([
    [utf8('one'), utf8('a value that is long enough to be a node')],
    [utf8('two'), utf8('another value that is long enough to be one')],
  ]);
  const trie = new MerkleTrie(Uint8Array.from(Buffer.from(root.slice(2), 'hex')), store.load);
  trie.put(utf8('two'), utf8('another value that is long enough to be one'));
  trie.put(utf8('three'), new Uint8Array(0));
  const written: Nibbles[] = [];
  assert.equal(bytesToHex(trie.commit((path) => written.push(path))), root);
  assert.deepEqual(written, []);
});

test('a node missing in the store is an error, not an absent key', () => {
  const trie = new MerkleTrie(new Uint8Array(32).fill(7), () => undefined);
  assert.throws(() => trie.get(utf8('key')), MissingTrieNodeError);
  assert.throws(() => trie.put(utf8('key'), utf8('value')), MissingTrieNodeError);
});

test('bytes that do not encode a node are refused with a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80, size: 'max' }), (bytes) => {
      try {
        decodeTrieNode(bytes, new Uint8Array(32), true);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
    { numRuns: countRuns(5_000) },
  );
  assert.throws(() => decodeTrieNode(Uint8Array.of(0xc2, 0x80, 0x80), new Uint8Array(32), true), RangeError);
});
