import { EMPTY_TRIE_ROOT, keccak256 } from './keccak.ts';
import { encodeRlp } from './rlp.ts';
import { RlpWriter } from './rlp-writer.ts';
import { bytesToNibbles, encodePath, type Nibbles } from './trie-node.ts';

const HASH_LENGTH = 32;
/** First index whose RLP key has several bytes. In key order, the key of index 0 (`0x80`) comes directly before the long keys. */
const FIRST_LONG_INDEX = 128;

/** Completed subtrie: one item, or all items that share a path prefix. */
type Leaf = {
  readonly path: Nibbles;
  /** Reference in the parent node: hash string or embedded node. */
  readonly reference: Uint8Array;
};

/** Scratch writer of this file. A node is removed from the writer as soon as its reference or the root hash is computed. */
const writer = new RlpWriter();

/** Returns the root (32 bytes) of the trie that maps RLP-encoded indices to the items of a list: transactions, receipts or withdrawals. */
export function computeOrderedRoot(values: Iterable<Uint8Array>): Uint8Array {
  const root = new OrderedRoot();
  for (const value of values) root.add(value);
  return root.finish();
}

/**
 * Incremental form of `computeOrderedRoot`. The key order is known, so no trie is built. Each node is encoded once, and only its reference of at most
 * 33 bytes is stored until its parent is encoded. The most recently added item is buffered, too. The first item is buffered until 127 others follow,
 * because in key order its key follows the keys of these 127 items.
 */
export class OrderedRoot {
  readonly #leaves: Leaf[] = [];
  #count = 0;
  #first: Uint8Array | undefined;
  /**
   * Last added item in key order. `#shared` is the number of nibbles that the item's path shares with the previous item's path. The depth of the leaf
   * is unknown until the next item is added.
   */
  #last: { readonly path: Nibbles; readonly value: Uint8Array } | undefined;
  #shared = -1;

  /** Number of node references stored until their parent is encoded. */
  get reserved(): number {
    return this.#leaves.length;
  }

  /** @param value stored without a copy, so it must not change */
  add(value: Uint8Array): void {
    const index = this.#count++;
    if (index === 0) {
      this.#first = value;
      return;
    }
    if (index === FIRST_LONG_INDEX) this.#pushFirst();
    this.#push(pathOf(index), value);
  }

  /** Returns the root of the added items, 32 bytes. */
  finish(): Uint8Array {
    this.#pushFirst();
    if (this.#last === undefined) return EMPTY_TRIE_ROOT;
    const mark = writer.mark;
    if (this.#leaves.length === 0) {
      writeLeaf(this.#last.path, this.#last.value);
    } else {
      this.#closeLast(this.#shared);
      encodeNode(this.#leaves, 0, this.#leaves.length, 0);
    }
    const root = keccak256(writer.view(mark));
    writer.rewind(mark);
    return root;
  }

  #pushFirst(): void {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) this.#push(pathOf(0), first);
  }

  #push(path: Nibbles, value: Uint8Array): void {
    if (this.#last !== undefined) {
      const shared = countShared(this.#last.path, path);
      this.#closeLast(Math.max(this.#shared, shared));
      this.#fold(shared);
      this.#shared = shared;
    }
    this.#last = { path, value };
  }

  /**
   * Replaces the last nodes, whose paths share more than `shared` nibbles, by one node. The path of the next item shares only `shared` nibbles with
   * the paths of the replaced nodes.
   */
  #fold(shared: number): void {
    const leaves = this.#leaves;
    const { path } = leaves[leaves.length - 1] as Leaf;
    let from = leaves.length - 1;
    while (from > 0 && countShared((leaves[from - 1] as Leaf).path, path) > shared) from--;
    if (from === leaves.length - 1) return;
    const reference = refer(leaves, from, leaves.length, shared + 1);
    leaves.splice(from, leaves.length - from, { path, reference });
  }

  /**
   * Encodes the leaf of the last item.
   * @param shared number of nibbles that the leaf's path shares with its nearer neighbour; a branch consumes one more nibble
   */
  #closeLast(shared: number): void {
    const { path, value } = this.#last as { readonly path: Nibbles; readonly value: Uint8Array };
    const mark = writer.mark;
    writeLeaf(path.subarray(shared + 1), value);
    this.#leaves.push({ path, reference: takeReference(mark) });
  }
}

function countShared(one: Nibbles, other: Nibbles): number {
  let shared = 0;
  while (one[shared] === other[shared]) shared++;
  return shared;
}

function writeLeaf(path: Nibbles, value: Uint8Array): void {
  const mark = writer.mark;
  writer.bytes(value);
  writer.bytes(encodePath(path, true));
  writer.list(mark);
}

/** Cache of key paths by index; a path does not depend on the list. */
const paths: Nibbles[] = [];
const MAX_CACHED_PATHS = 1_024;

function pathOf(index: number): Nibbles {
  const known = paths[index];
  if (known !== undefined) return known;
  const path = bytesToNibbles(encodeRlp(BigInt(index)));
  if (index < MAX_CACHED_PATHS) paths[index] = path;
  return path;
}

/** Writes the extension or branch node above `leaves[from..to)`, at least two leaves that share the first `depth` nibbles. */
function encodeNode(leaves: readonly Leaf[], from: number, to: number, depth: number): void {
  const first = (leaves[from] as Leaf).path;
  const mark = writer.mark;
  const last = (leaves[to - 1] as Leaf).path;
  let end = depth;
  while (first[end] === last[end]) end++;
  if (end > depth) {
    writer.raw(refer(leaves, from, to, end));
    writer.bytes(encodePath(first.subarray(depth, end), false));
    writer.list(mark);
    return;
  }
  encodeBranch(leaves, from, to, depth);
}

/** Branches have no value, because no key is a prefix of another. */
function encodeBranch(leaves: readonly Leaf[], from: number, to: number, depth: number): void {
  const mark = writer.mark;
  writer.byte(0x80);
  let end = to;
  for (let nibble = 15; nibble >= 0; nibble--) {
    let start = end;
    while (start > from && (leaves[start - 1] as Leaf).path[depth] === nibble) start--;
    if (start === end) writer.byte(0x80);
    else writer.raw(refer(leaves, start, end, depth + 1));
    end = start;
  }
  writer.list(mark);
}

/** Returns the reference of a node in its parent: the node's hash as a byte string, or the node itself if the node is shorter than a hash. */
function refer(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  if (to - from === 1) return (leaves[from] as Leaf).reference;
  const mark = writer.mark;
  encodeNode(leaves, from, to, depth);
  return takeReference(mark);
}

/** Returns the reference of the node written since the mark, and removes the node from the writer. */
function takeReference(mark: number): Uint8Array {
  const encoded = writer.view(mark);
  if (encoded.length < HASH_LENGTH) return writer.take(mark);
  const reference = new Uint8Array(HASH_LENGTH + 1);
  reference[0] = 0x80 + HASH_LENGTH;
  reference.set(keccak256(encoded), 1);
  writer.rewind(mark);
  return reference;
}
