import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../src/primitives/keccak.ts';
import { computeOrderedRoot, MerkleTrie, MissingTrieNodeError } from '../../src/primitives/merkle-trie.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

class NodeStore {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly load = (hash: Uint8Array): Uint8Array | undefined => this.#nodes.get(bytesToHex(hash));
  readonly store = (hash: Uint8Array, encoded: Uint8Array): void => {
    this.#nodes.set(bytesToHex(hash), encoded);
  };
}

function rootOf(entries: Iterable<readonly [Uint8Array, Uint8Array]>): string {
  const store = new NodeStore();
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, store.load);
  for (const [key, value] of entries) trie.put(key, value);
  return bytesToHex(trie.commit(store.store));
}

// The examples of the yellow paper's community and of geth's trie tests.
test('known roots', () => {
  const dogs = [
    ['doe', 'reindeer'],
    ['dog', 'puppy'],
    ['dogglesworth', 'cat'],
  ].map(([key = '', value = '']) => [utf8(key), utf8(value)] as const);
  assert.equal(rootOf(dogs), '0x8aad789dff2f538bca5d8ea56e8abe10f4c7ba3a5dea95fea4cd6e7c3a1168d3');
  assert.equal(
    rootOf([[utf8('A'), utf8('a'.repeat(50))]]),
    '0xd23786fb4a010da3ce639d66d5e904a11dbc02746d1ce25029e53290cabf28ab',
  );
  assert.equal(rootOf([]), bytesToHex(EMPTY_TRIE_ROOT));
  assert.deepEqual(computeOrderedRoot([]), EMPTY_TRIE_ROOT);
});

// Short keys over two nibble values share prefixes, nest and collide: every shape of node comes up.
const key = fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0x11), { minLength: 1, maxLength: 4 });
const step = fc.tuple(key, fc.uint8Array({ maxLength: 40 }));

test('the root depends on the contents only, not on the way to them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const store = new NodeStore();
      const contents = new Map<string, readonly [Uint8Array, Uint8Array]>();
      let root = EMPTY_TRIE_ROOT;
      for (const [bytes, value] of steps) {
        const trie = new MerkleTrie(root, store.load);
        const entry = [Uint8Array.from(bytes), value] as const;
        trie.put(...entry);
        root = trie.commit(store.store);
        if (value.length === 0) contents.delete(bytes.join());
        else contents.set(bytes.join(), entry);
      }
      assert.equal(bytesToHex(root), rootOf(contents.values()));
      const reopened = new MerkleTrie(root, store.load);
      for (const [bytes] of steps) {
        assert.deepEqual(reopened.get(Uint8Array.from(bytes)), contents.get(bytes.join())?.[1]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a committed root stays readable after later changes', () => {
  const store = new NodeStore();
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, store.load);
  trie.put(utf8('key'), utf8('before'));
  const before = trie.commit(store.store);
  trie.put(utf8('key'), utf8('after'));
  trie.commit(store.store);
  assert.deepEqual(new MerkleTrie(before, store.load).get(utf8('key')), utf8('before'));
});

test('a node that the store lacks is an error, not an absent key', () => {
  const trie = new MerkleTrie(
    Uint8Array.from({ length: 32 }, () => 7),
    () => undefined,
  );
  assert.throws(() => trie.get(utf8('key')), MissingTrieNodeError);
});
