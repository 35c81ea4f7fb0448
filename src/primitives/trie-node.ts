/** Nodes of the Merkle Patricia trie (yellow paper, appendix D) and their RLP form. */
import { bytesEqual, EMPTY_BYTES } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { asBytes, decodeRlp, encodeRlp, type RlpItem } from './rlp.ts';

/** One nibble (0..15) per element. */
export type Nibbles = Uint8Array;

export type LeafNode = {
  readonly kind: 'leaf';
  readonly path: Nibbles;
  readonly value: Uint8Array;
  ref?: RlpItem;
};
export type ExtensionNode = {
  readonly kind: 'extension';
  readonly path: Nibbles;
  child: TrieNode;
  ref?: RlpItem;
};
export type BranchNode = {
  readonly kind: 'branch';
  readonly children: (TrieNode | undefined)[];
  readonly value: Uint8Array;
  ref?: RlpItem;
};
/** A node known by its hash only; loaded when a path runs through it. */
export type UnloadedNode = { readonly kind: 'unloaded'; readonly ref: Uint8Array };
export type TrieNode = LeafNode | ExtensionNode | BranchNode | UnloadedNode;

export function bytesToNibbles(bytes: Uint8Array): Nibbles {
  const nibbles = new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    nibbles[2 * i] = byte >> 4;
    nibbles[2 * i + 1] = byte & 15;
  }
  return nibbles;
}

/** Hex-prefix encoding: flag nibble (2 = leaf, 1 = odd length), then the path. */
function encodePath(path: Nibbles, isLeaf: boolean): Uint8Array {
  const isOdd = path.length % 2 === 1;
  const out = new Uint8Array((path.length >> 1) + 1);
  out[0] = (isLeaf ? 0x20 : 0) | (isOdd ? 0x10 | (path[0] as number) : 0);
  for (let i = isOdd ? 1 : 0, at = 1; i < path.length; i += 2, at++) {
    out[at] = ((path[i] as number) << 4) | (path[i + 1] as number);
  }
  return out;
}

function decodePath(encoded: Uint8Array): { path: Nibbles; isLeaf: boolean } {
  const nibbles = bytesToNibbles(encoded);
  const flags = nibbles[0] as number;
  return { path: nibbles.subarray(flags & 1 ? 1 : 2), isLeaf: (flags & 2) !== 0 };
}

function decodeItem(item: RlpItem): TrieNode {
  if (item instanceof Uint8Array) throw new RangeError('trie: node is not a list');
  if (item.length === 17) {
    const children = item.slice(0, 16).map(decodeChild);
    return { kind: 'branch', children, value: asBytes(item[16], 'branch value') };
  }
  if (item.length !== 2) throw new RangeError(`trie: node of ${item.length} items`);
  const { path, isLeaf } = decodePath(asBytes(item[0], 'node path'));
  if (isLeaf) return { kind: 'leaf', path, value: asBytes(item[1], 'leaf value') };
  const child = decodeChild(item[1] as RlpItem);
  if (child === undefined) throw new RangeError('trie: extension without a child');
  return { kind: 'extension', path, child };
}

function decodeChild(item: RlpItem): TrieNode | undefined {
  if (item instanceof Uint8Array) {
    if (item.length === 0) return undefined;
    if (item.length !== 32) throw new RangeError('trie: child reference of wrong length');
    return { kind: 'unloaded', ref: item };
  }
  const node = decodeItem(item);
  if (node.kind !== 'unloaded') node.ref = item;
  return node;
}

/** Parses a stored node. @throws RangeError when the bytes are no trie node. */
export function decodeTrieNode(encoded: Uint8Array, hash: Uint8Array): TrieNode {
  const node = decodeItem(decodeRlp(encoded));
  if (node.kind !== 'unloaded') node.ref = hash;
  return node;
}

function toItem(node: Exclude<TrieNode, UnloadedNode>, store: NodeSink): RlpItem {
  if (node.kind === 'leaf') return [encodePath(node.path, true), node.value];
  if (node.kind === 'extension') return [encodePath(node.path, false), referenceNode(node.child, store)];
  const items: RlpItem[] = node.children.map((child) =>
    child === undefined ? EMPTY_BYTES : referenceNode(child, store),
  );
  items.push(node.value);
  return items;
}

/** Receives every node that is not yet stored, children before parents. */
export type NodeSink = (hash: Uint8Array, encoded: Uint8Array) => void;

/** What a parent holds for this node: its hash, or the node itself when it is shorter than a hash. */
function referenceNode(node: TrieNode, store: NodeSink): RlpItem {
  if (node.ref !== undefined) return node.ref;
  const item = toItem(node as Exclude<TrieNode, UnloadedNode>, store);
  const encoded = encodeRlp(item);
  if (encoded.length < 32) {
    (node as LeafNode).ref = item;
    return item;
  }
  const hash = keccak256(encoded);
  store(hash, encoded);
  (node as LeafNode).ref = hash;
  return hash;
}

/** Hash of a root node, which is hashed whatever its length. */
export function hashRootNode(node: TrieNode, store: NodeSink): Uint8Array {
  const ref = referenceNode(node, store);
  if (ref instanceof Uint8Array) return ref;
  const encoded = encodeRlp(ref);
  const hash = keccak256(encoded);
  store(hash, encoded);
  return hash;
}

/** Length of the longest prefix that both have from the given offsets on. */
export function sharedPrefixLength(a: Nibbles, b: Nibbles, bFrom: number): number {
  const end = Math.min(a.length, b.length - bFrom);
  let length = 0;
  while (length < end && a[length] === b[bFrom + length]) length++;
  return length;
}

export function isSameValue(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || bytesEqual(a, b);
}
