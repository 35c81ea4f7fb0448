import { EMPTY_TRIE_ROOT, keccak256 } from './keccak.ts';
import { encodeRlp } from './rlp.ts';
import { RlpWriter } from './rlp-writer.ts';
import { bytesToNibbles, encodePath, type Nibbles } from './trie-node.ts';

const HASH_LENGTH = 32;
/** From here on the keys of indices have several bytes; index 0 comes right before them in key order. */
const FIRST_LONG_INDEX = 128;

/** A finished subtrie: one item, or all items that share a path prefix. */
type Leaf = {
  readonly path: Nibbles;
  /** How its parent holds it. */
  readonly reference: Uint8Array;
};

/** Nodes are written here one at a time: each call that writes takes out again what it wrote. */
const writer = new RlpWriter();

/** Root of the trie that holds a list under the RLP of its indices (transactions, receipts, withdrawals), 32 bytes. */
export function computeOrderedRoot(values: Iterable<Uint8Array>): Uint8Array {
  const root = new OrderedRoot();
  for (const value of values) root.add(value);
  return root.finish();
}

/**
 * The same for a list that comes item by item. The trie is never built: keys are known in order, so each node is encoded once, and held as 33 bytes until its parent
 * is. Of the items the last one is held, and the first until 127 others have come, as its key sorts behind theirs.
 */
export class OrderedRoot {
  readonly #leaves: Leaf[] = [];
  #count = 0;
  #first: Uint8Array | undefined;
  /** The last item in key order, and nibbles of its path that the one before has too: how deep its leaf is, the next item decides. */
  #last: { readonly path: Nibbles; readonly value: Uint8Array } | undefined;
  #shared = -1;

  /** Nodes that wait for their parent. */
  get held(): number {
    return this.#leaves.length;
  }

  /** @param value is held, and must not be changed */
  add(value: Uint8Array): void {
    const index = this.#count++;
    if (index === 0) {
      this.#first = value;
      return;
    }
    if (index === FIRST_LONG_INDEX) this.#pushFirst();
    this.#push(pathOf(index), value);
  }

  /** The root of what was added, 32 bytes. */
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

  /** Nodes that no later item changes become one: those of paths that have more in common than the next path has with them. */
  #fold(shared: number): void {
    const leaves = this.#leaves;
    const { path } = leaves[leaves.length - 1] as Leaf;
    let from = leaves.length - 1;
    while (from > 0 && countShared((leaves[from - 1] as Leaf).path, path) > shared) from--;
    if (from === leaves.length - 1) return;
    const reference = refer(leaves, from, leaves.length, shared + 1);
    leaves.splice(from, leaves.length - from, { path, reference });
  }

  /** @param shared nibbles that its path has in common with a neighbour's: a branch takes the next one */
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

/** Paths are the same for every list. */
const paths: Nibbles[] = [];
const MAX_KEPT_PATHS = 1_024;

function pathOf(index: number): Nibbles {
  const known = paths[index];
  if (known !== undefined) return known;
  const path = bytesToNibbles(encodeRlp(BigInt(index)));
  if (index < MAX_KEPT_PATHS) paths[index] = path;
  return path;
}

/** Writes the extension or branch node over `leaves[from..to)`, at least two leaves that share the first `depth` nibbles. */
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

/** No key is a prefix of another one: a branch has no value. */
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

/** How a parent holds a node: its hash as a byte string, or the node itself where that is shorter. */
function refer(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  if (to - from === 1) return (leaves[from] as Leaf).reference;
  const mark = writer.mark;
  encodeNode(leaves, from, to, depth);
  return takeReference(mark);
}

/** The same for a node that was written since a mark; it is taken out of the writer. */
function takeReference(mark: number): Uint8Array {
  const encoded = writer.view(mark);
  if (encoded.length < HASH_LENGTH) return writer.take(mark);
  const reference = new Uint8Array(HASH_LENGTH + 1);
  reference[0] = 0x80 + HASH_LENGTH;
  reference.set(keccak256(encoded), 1);
  writer.rewind(mark);
  return reference;
}
