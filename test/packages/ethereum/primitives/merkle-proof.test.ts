import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { proveKey, readByHash, readProof } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import { MerkleTrie, type NodeLoader } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { encodePath } from '../../../../packages/ethereum/primitives/trie-node.ts';
import { countRuns } from '../../../support/count-runs.ts';

type Entry = readonly [key: Uint8Array, value: Uint8Array];

function build(entries: Iterable<Entry>): { root: Uint8Array; load: NodeLoader } {
  const nodes = new Map<string, Uint8Array>();
  const load: NodeLoader = (path) => nodes.get(bytesToHex(path));
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, load);
  for (const [key, value] of entries) trie.put(key, value);
  const root = trie.commit((path, encoded) => {
    if (encoded !== undefined) nodes.set(bytesToHex(path), encoded);
  });
  return { root, load };
}

/** Returns a loader of nodes by hash. */
function findAmong(nodes: readonly Uint8Array[]): (hash: Uint8Array) => Uint8Array {
  const byHash = new Map(nodes.map((node) => [bytesToHex(keccak256(node)), node]));
  return (hash) => byHash.get(bytesToHex(hash)) ?? assert.fail('a node is missing');
}

/** Fails unless the proof is valid as it is and invalid with any node changed, added or removed. */
function expectExact(
  root: Uint8Array,
  key: Uint8Array,
  load: NodeLoader,
  want: Uint8Array | undefined,
): void {
  const { nodes, value } = proveKey(key, load);
  assert.deepEqual(value, want);
  assert.deepEqual(readProof(root, key, nodes), want);
  assert.deepEqual(readByHash(root, key, findAmong(nodes)), want);
  const expectRefused = (altered: readonly Uint8Array[], what: string): void =>
    assert.throws(() => readProof(root, key, altered), RangeError, what);
  for (const [index, node] of nodes.entries()) {
    for (let at = 0; at < node.length; at++) {
      const altered = node.slice();
      altered[at] = (altered[at] as number) ^ (1 + ((at * 37) % 255));
      expectRefused(nodes.with(index, altered), `node ${index}, byte ${at}`);
    }
    expectRefused(nodes.toSpliced(index, 1), `without node ${index}`);
    expectRefused(nodes.toSpliced(index, 0, node), `node ${index} twice`);
    expectRefused(nodes.with(index, node.subarray(0, -1)), `node ${index} cut short`);
    expectRefused(nodes.with(index, Uint8Array.of(...node, 0x80)), `node ${index} prolonged`);
  }
  // This leaf has a four-byte value, which no trie here has; a short leaf of the trie itself is accepted as a separate node.
  expectRefused([...nodes, Uint8Array.of(0xc6, 0x20, 0x84, 0xde, 0xad, 0xbe, 0xef)], 'one more node');
  expectRefused([...nodes, new Uint8Array(0)], 'one more node without bytes');
  if (nodes.length > 1) expectRefused(nodes.toReversed(), 'another order');
}

// Keys over few nibble values share prefixes and are prefixes of each other, which gives branches with values and extensions; short values give embedded
// nodes.
const key = fc.array(fc.constantFrom(0x00, 0x01, 0x10, 0x11), { minLength: 1, maxLength: 4 });
const value = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
  fc.uint8Array({ minLength: 20, maxLength: 40 }),
);

test('the proof of a present or absent key yields its value, and every altered proof is refused', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 30, size: 'max' }),
      key,
      (pairs, other) => {
        const entries = pairs.map(([name, word]): Entry => [Uint8Array.from(name), word]);
        const { root, load } = build(entries);
        for (const name of [...entries.slice(0, 3).map(([first]) => first), Uint8Array.from(other)]) {
          const want = entries.findLast(([each]) => bytesEqual(each, name))?.[1];
          expectExact(root, name, load, want);
        }
      },
    ),
    { numRuns: countRuns(100) },
  );
});

test('the proof of another key is refused', () => {
  const entries = Array.from({ length: 300 }, (_, i): Entry => {
    const name = keccak256(Uint8Array.of(i & 255, i >> 8));
    return [name, name];
  });
  const { root, load } = build(entries);
  const [[first], [second]] = entries as [Entry, Entry];
  const { nodes } = proveKey(second, load);
  assert.throws(() => readProof(root, first, nodes), RangeError);
  assert.deepEqual(readProof(root, second, nodes), second);
  assert.throws(() => readProof(EMPTY_TRIE_ROOT, second, nodes), RangeError);
});

test('an absent key of an empty trie is proven by no node or by the empty node', () => {
  const name = keccak256(Uint8Array.of(1));
  assert.equal(readProof(EMPTY_TRIE_ROOT, name, []), undefined);
  assert.equal(readProof(EMPTY_TRIE_ROOT, name, [Uint8Array.of(0x80)]), undefined);
  assert.throws(
    () => readProof(EMPTY_TRIE_ROOT, name, [Uint8Array.of(0x80), Uint8Array.of(0x80)]),
    RangeError,
  );
  assert.throws(() => readProof(keccak256(name), name, []), RangeError);
});

test('an embedded node may be listed separately too, if it is unaltered', () => {
  const entries = [0x01, 0x02, 0x11].map((last): Entry => [Uint8Array.of(0, last), Uint8Array.of(last)]);
  const { root, load } = build(entries);
  const name = Uint8Array.of(0, 0x11);
  const { nodes } = proveKey(name, load);
  assert.equal(nodes.length, 2);
  const leaf = encodeRlp([encodePath(Uint8Array.of(1), true), Uint8Array.of(0x11)]);
  assert.deepEqual(readProof(root, name, [...nodes, leaf]), Uint8Array.of(0x11));
  const altered = encodeRlp([encodePath(Uint8Array.of(1), true), Uint8Array.of(0x12)]);
  assert.throws(() => readProof(root, name, [...nodes, altered]), RangeError);
});

test('a path in a non-canonical form is refused', () => {
  const name = Uint8Array.of(0x12);
  for (const path of [
    [0x20, 0x12],
    [0x2f, 0x12],
    [0x60, 0x12],
    [0xa0, 0x12],
  ]) {
    const node = encodeRlp([Uint8Array.from(path), Uint8Array.of(7)]);
    if (path[0] === 0x20) assert.deepEqual(readProof(keccak256(node), name, [node]), Uint8Array.of(7));
    else assert.throws(() => readProof(keccak256(node), name, [node]), RangeError);
  }
});
