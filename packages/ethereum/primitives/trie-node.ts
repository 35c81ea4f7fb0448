/** Nodes of the Merkle Patricia trie (yellow paper, appendix D) and their RLP form. */
import { EMPTY_BYTES } from './bytes.ts';
import {
  encodeRlp,
  measureRlpHeader,
  type RlpSpan,
  readRlpSpan,
  readWholeSpan,
  writeRlpHeader,
} from './rlp.ts';

/** Path in a trie: one nibble (0..15) per array element. */
export type Nibbles = Uint8Array;

type NodeState = {
  /** Reference in the parent: the node's hash, or the node's encoding if it is shorter. Undefined if the node has changed since its last encoding. */
  ref: Uint8Array | undefined;
  /** Whether the store has a node at this path: this node or an older one. */
  isStored: boolean;
};

export type LeafNode = NodeState & { readonly kind: 'leaf'; readonly path: Nibbles; value: Uint8Array };
export type ExtensionNode = NodeState & {
  readonly kind: 'extension';
  readonly path: Nibbles;
  child: TrieNode;
};
export type BranchNode = NodeState & {
  readonly kind: 'branch';
  readonly children: (TrieNode | undefined)[];
  value: Uint8Array;
};
/** Node that is only in the store, and is loaded when a path passes through it. */
export type UnloadedNode = { readonly kind: 'unloaded'; readonly ref: Uint8Array };
export type LoadedNode = LeafNode | ExtensionNode | BranchNode;
export type TrieNode = LoadedNode | UnloadedNode;

export const HASH_LENGTH = 32;

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
export function encodePath(path: Nibbles, isLeaf: boolean): Uint8Array {
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
  const [flags, padding] = nibbles;
  if (flags === undefined) throw new RangeError('trie: node has no path');
  if (flags > 3 || ((flags & 1) === 0 && padding !== 0))
    throw new RangeError('trie: path is not in hex-prefix encoding');
  return { path: nibbles.subarray(flags & 1 ? 1 : 2), isLeaf: (flags & 2) !== 0 };
}

/** Item of a node's list: `at` is the start of its header. */
type Item = RlpSpan & { readonly at: number };

function readItems(bytes: Uint8Array): Item[] {
  const list = readRlpSpan(bytes, 0, bytes.length);
  if (list === undefined || !list.isList || list.end !== bytes.length) {
    throw new RangeError('trie: node is not a list');
  }
  const items: Item[] = [];
  for (let at = list.start; at < list.end; ) {
    const span = readRlpSpan(bytes, at, list.end);
    if (span === undefined || span.end > list.end) throw new RangeError('trie: node is truncated');
    items.push({ at, isList: span.isList, start: span.start, end: span.end });
    at = span.end;
  }
  return items;
}

function readString(bytes: Uint8Array, { isList, start, end }: RlpSpan): Uint8Array {
  if (isList) throw new RangeError('trie: expected a byte string, got a list');
  return bytes.subarray(start, end);
}

function decodeChild(bytes: Uint8Array, item: Item): TrieNode | undefined {
  if (item.isList) {
    const embedded = bytes.subarray(item.at, item.end);
    return decodeTrieNode(embedded, embedded, false);
  }
  const ref = readString(bytes, item);
  if (ref.length === 0) return undefined;
  if (ref.length !== HASH_LENGTH) throw new RangeError('trie: child reference has the wrong length');
  return { kind: 'unloaded', ref };
}

/**
 * Parses an encoded trie node.
 * @param ref reference of the node in its parent: the hash or the embedded encoding
 * @throws RangeError if the bytes are not a trie node
 */
export function decodeTrieNode(encoded: Uint8Array, ref: Uint8Array, isStored: boolean): LoadedNode {
  const items = readItems(encoded);
  if (items.length === 17) {
    const children = items.slice(0, 16).map((item) => decodeChild(encoded, item));
    return { kind: 'branch', children, value: readString(encoded, items[16] as Item), ref, isStored };
  }
  const [first, second] = items;
  if (items.length !== 2 || first === undefined || second === undefined) {
    throw new RangeError(`trie: node has ${items.length} items`);
  }
  const { path, isLeaf } = decodePath(readString(encoded, first));
  if (isLeaf) return { kind: 'leaf', path, value: readString(encoded, second), ref, isStored };
  const child = decodeChild(encoded, second);
  if (child === undefined) throw new RangeError('trie: extension has no child');
  return { kind: 'extension', path, child, ref, isStored };
}

/** Result of following a path through one node. */
export type TrieStep = {
  /** Content of `bytes`: a value, the hash of a child, or the embedded encoding of a child that is shorter than a hash. */
  readonly kind: 'value' | 'hash' | 'embedded';
  readonly bytes: Uint8Array;
  /** Length of the path from the root to the value or child, in nibbles. */
  readonly at: number;
};

/** RLP prefixes of an empty item and of a hash. Nearly every item of a branch node begins with one of these two prefixes. */
const EMPTY_ITEM = 0x80;
const HASH_ITEM: number = 0x80 + HASH_LENGTH;

/**
 * Follows a path through one encoded node, and decodes only the items on the path.
 * @param at length of the path from the root to the node, in nibbles
 * @returns undefined if the path leaves the trie
 * @throws RangeError if an item on the path is malformed
 */
export function followNode(encoded: Uint8Array, path: Nibbles, at: number): TrieStep | undefined {
  const { isList, start, end } = readWholeSpan(encoded, 0, encoded.length);
  if (!isList || end !== encoded.length) throw new RangeError('trie: node is not a list');
  const second = skipItem(encoded, start, end);
  if (skipItem(encoded, second, end) < end) {
    const index = at === path.length ? 16 : (path[at] as number);
    let item = start;
    for (let i = 0; i < index; i++) item = skipItem(encoded, item, end);
    if (index < 16) return readChild(encoded, item, end, at + 1);
    const bytes = readItem(encoded, item, end);
    return bytes.length === 0 ? undefined : { kind: 'value', bytes, at };
  }
  const { path: part, isLeaf } = decodePath(readItem(encoded, start, end));
  if (sharedPrefixLength(part, path, at) < part.length) return undefined;
  const next = at + part.length;
  if (!isLeaf) return readChild(encoded, second, end, next);
  return next < path.length ? undefined : { kind: 'value', bytes: readItem(encoded, second, end), at: next };
}

/** @returns start of the next item */
function skipItem(encoded: Uint8Array, at: number, end: number): number {
  const prefix = encoded[at];
  if (prefix === EMPTY_ITEM) return at + 1;
  if (prefix === HASH_ITEM) return at + 1 + HASH_LENGTH;
  return readWholeSpan(encoded, at, end).end;
}

function readItem(encoded: Uint8Array, at: number, end: number): Uint8Array {
  return readString(encoded, readWholeSpan(encoded, at, end));
}

function readChild(encoded: Uint8Array, item: number, end: number, at: number): TrieStep | undefined {
  if (encoded[item] === EMPTY_ITEM) return undefined;
  const span = readWholeSpan(encoded, item, end);
  if (span.isList) return { kind: 'embedded', bytes: encoded.subarray(item, span.end), at };
  const bytes = readString(encoded, span);
  if (bytes.length !== HASH_LENGTH) throw new RangeError('trie: child reference has the wrong length');
  return { kind: 'hash', bytes, at };
}

/** Returns the encoded length of a reference in its parent. A hash is encoded as a byte string; an embedded node is included verbatim. */
function measureRef(ref: Uint8Array): number {
  return ref.length === HASH_LENGTH ? HASH_LENGTH + 1 : ref.length;
}

function writeRef(out: Uint8Array, at: number, ref: Uint8Array): number {
  const start = ref.length === HASH_LENGTH ? writeRlpHeader(out, at, 0x80, HASH_LENGTH) : at;
  out.set(ref, start);
  return start + ref.length;
}

const refOf = (node: TrieNode): Uint8Array => {
  if (node.ref === undefined) throw new Error('a child is encoded before its parent');
  return node.ref;
};

function allocateList(payload: number): { out: Uint8Array; at: number } {
  const out = new Uint8Array(measureRlpHeader(payload) + payload);
  return { out, at: writeRlpHeader(out, 0, 0xc0, payload) };
}

function encodeBranch({ children, value }: BranchNode): Uint8Array {
  const last = encodeRlp(value);
  let payload = last.length;
  for (const child of children) payload += child === undefined ? 1 : measureRef(refOf(child));
  let { out, at } = allocateList(payload);
  for (const child of children) {
    if (child === undefined) out[at++] = 0x80;
    else at = writeRef(out, at, refOf(child));
  }
  out.set(last, at);
  return out;
}

/** Encodes a node with the references of its children. */
export function encodeTrieNode(node: LoadedNode): Uint8Array {
  if (node.kind === 'branch') return encodeBranch(node);
  if (node.kind === 'leaf') return encodeRlp([encodePath(node.path, true), node.value]);
  const path = encodeRlp(encodePath(node.path, false));
  const ref = refOf(node.child);
  const { out, at } = allocateList(path.length + measureRef(ref));
  out.set(path, at);
  writeRef(out, at + path.length, ref);
  return out;
}

/** Length of the common prefix of `a` and `b.subarray(bFrom)`. */
export function sharedPrefixLength(a: Nibbles, b: Nibbles, bFrom: number): number {
  const end = Math.min(a.length, b.length - bFrom);
  let length = 0;
  while (length < end && a[length] === b[bFrom + length]) length++;
  return length;
}

/** Creates a leaf that is not encoded yet. @param isStored whether the store has a node at the path of the leaf */
export function createLeaf(path: Nibbles, value: Uint8Array, isStored: boolean): LeafNode {
  return { kind: 'leaf', path, value, ref: undefined, isStored };
}

export function createExtension(path: Nibbles, child: TrieNode, isStored: boolean): ExtensionNode {
  return { kind: 'extension', path, child, ref: undefined, isStored };
}

/** Creates a branch without children and value. */
export function createBranch(isStored: boolean): BranchNode {
  const children = new Array<TrieNode | undefined>(16).fill(undefined);
  return { kind: 'branch', children, value: EMPTY_BYTES, ref: undefined, isStored };
}
