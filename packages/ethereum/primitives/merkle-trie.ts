/**
 * Merkle Patricia trie over a store of nodes by path. The store contains only the last committed state of the trie.
 * Updates stay in memory until the next commit.
 */
import { bytesEqual, concatBytes, EMPTY_BYTES } from './bytes.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from './keccak.ts';
import {
  type BranchNode,
  bytesToNibbles,
  createBranch,
  createExtension,
  createLeaf,
  decodeTrieNode,
  type ExtensionNode,
  encodeTrieNode,
  HASH_LENGTH,
  type LeafNode,
  type LoadedNode,
  type Nibbles,
  sharedPrefixLength,
  type TrieNode,
} from './trie-node.ts';

/** Loads the encoded node at a path; undefined if the store does not have it. */
export type NodeLoader = (path: Nibbles) => Uint8Array | undefined;

/** Receives the changes of a commit: the node at a path, or undefined if the path no longer has a node. */
export type NodeSink = (path: Nibbles, encoded: Uint8Array | undefined) => void;

/** Error: the store lacks a node of the trie. */
export class MissingTrieNodeError extends Error {
  constructor() {
    super('missing trie node');
    this.name = 'MissingTrieNodeError';
  }
}

/** Mutable trie; nodes are loaded from the store on demand. */
export class MerkleTrie {
  #root: TrieNode | undefined;
  readonly #load: NodeLoader;
  /** Paths at which the store has a node that the trie no longer has. When a commit stores a node at a path, the path is removed from this map. */
  readonly #vacated = new Map<string, Nibbles>();
  #longestPath = 0;
  /** Approximate number of nodes in memory. The trie does not limit the number; its owner must. */
  loadedNodes = 0;

  constructor(root: Uint8Array, load: NodeLoader) {
    this.#root = bytesEqual(root, EMPTY_TRIE_ROOT) ? undefined : { kind: 'unloaded', ref: root };
    this.#load = load;
  }

  /** @throws MissingTrieNodeError if the store lacks a node on the path */
  get(key: Uint8Array): Uint8Array | undefined {
    const path = bytesToNibbles(key);
    if (this.#root === undefined) return undefined;
    let node = this.#resolve(this.#root, EMPTY_BYTES);
    this.#root = node;
    for (let at = 0; ; ) {
      if (node.kind === 'leaf') return bytesEqual(node.path, path.subarray(at)) ? node.value : undefined;
      if (node.kind === 'extension') {
        if (sharedPrefixLength(node.path, path, at) < node.path.length) return undefined;
        at += node.path.length;
        node = node.child = this.#resolve(node.child, path.subarray(0, at));
        continue;
      }
      if (at === path.length) return node.value.length === 0 ? undefined : node.value;
      const nibble = path[at++] as number;
      const child = node.children[nibble];
      if (child === undefined) return undefined;
      node = node.children[nibble] = this.#resolve(child, path.subarray(0, at));
    }
  }

  /** Sets a value; an empty value deletes the key. */
  put(key: Uint8Array, value: Uint8Array): void {
    const path = bytesToNibbles(key);
    this.#longestPath = Math.max(this.#longestPath, path.length);
    if (value.length > 0) this.#root = this.#insert(this.#root, path, 0, value);
    else if (this.#root !== undefined) this.#root = this.#remove(this.#root, path, 0);
  }

  /**
   * Passes all changes since the last commit to `store`.
   * @returns root hash
   */
  commit(store: NodeSink): Uint8Array {
    const root = this.#root;
    let hash = root === undefined ? EMPTY_TRIE_ROOT : root.ref;
    if (root !== undefined && root.kind !== 'unloaded' && hash === undefined) {
      // The path of a node may be one nibble longer than the longest key.
      const path = new Uint8Array(this.#longestPath + 1);
      const encoded = this.#encode(root, path, 0, store);
      // The root is hashed even if its encoding is shorter than a hash.
      hash = root.ref = keccak256(encoded);
      this.#place(root, EMPTY_BYTES, encoded, store);
    }
    for (const path of this.#vacated.values()) store(path, undefined);
    this.#vacated.clear();
    return hash as Uint8Array;
  }

  /** Encodes a changed node after its changed children. The first `depth` nibbles of `path` lead to the node. */
  #encode(node: LoadedNode, path: Nibbles, depth: number, store: NodeSink): Uint8Array {
    if (node.kind === 'branch') {
      for (let nibble = 0; nibble < 16; nibble++) {
        const child = node.children[nibble];
        if (child === undefined || child.ref !== undefined) continue;
        path[depth] = nibble;
        this.#refer(child as LoadedNode, path, depth + 1, store);
      }
    } else if (node.kind === 'extension' && node.child.ref === undefined) {
      path.set(node.path, depth);
      this.#refer(node.child as LoadedNode, path, depth + node.path.length, store);
    }
    return encodeTrieNode(node);
  }

  #refer(node: LoadedNode, path: Nibbles, depth: number, store: NodeSink): void {
    const encoded = this.#encode(node, path, depth, store);
    const at = path.subarray(0, depth);
    if (encoded.length >= HASH_LENGTH) {
      node.ref = keccak256(encoded);
      this.#place(node, at, encoded, store);
      return;
    }
    node.ref = encoded;
    this.#vacate(node, at);
    node.isStored = false;
  }

  #place(node: LoadedNode, path: Nibbles, encoded: Uint8Array, store: NodeSink): void {
    if (this.#vacated.size > 0) this.#vacated.delete(path.join());
    node.isStored = true;
    store(path, encoded);
  }

  #vacate(node: LoadedNode, path: Nibbles): void {
    if (node.isStored) this.#vacated.set(path.join(), path.slice());
  }

  #resolve(node: TrieNode, path: Nibbles): LoadedNode {
    if (node.kind !== 'unloaded') return node;
    const encoded = this.#load(path);
    if (encoded === undefined) throw new MissingTrieNodeError();
    this.loadedNodes++;
    return decodeTrieNode(encoded, node.ref, true);
  }

  #insert(node: TrieNode | undefined, path: Nibbles, at: number, value: Uint8Array): LoadedNode {
    if (node === undefined) {
      this.loadedNodes++;
      return createLeaf(path.slice(at), value, false);
    }
    const current = this.#resolve(node, path.subarray(0, at));
    if (current.kind === 'branch') {
      if (at === path.length) return setValue(current, value);
      const nibble = path[at] as number;
      const child = this.#insert(current.children[nibble], path, at + 1, value);
      current.children[nibble] = child;
      if (child.ref === undefined) current.ref = undefined;
      return current;
    }
    const shared = sharedPrefixLength(current.path, path, at);
    if (current.kind === 'extension' && shared === current.path.length) {
      const child = this.#insert(current.child, path, at + shared, value);
      current.child = child;
      if (child.ref === undefined) current.ref = undefined;
      return current;
    }
    if (current.kind === 'leaf' && shared === current.path.length && at + shared === path.length) {
      return setValue(current, value);
    }
    return this.#split(current, shared, path, at, value);
  }

  /** Replaces a leaf or extension whose path diverges after `shared` nibbles with a branch. */
  #split(
    current: LeafNode | ExtensionNode,
    shared: number,
    path: Nibbles,
    at: number,
    value: Uint8Array,
  ): LoadedNode {
    this.loadedNodes += 2;
    const branch = createBranch(shared === 0 && current.isStored);
    const rest = current.path.subarray(shared + 1);
    if (current.path.length === shared) branch.value = (current as LeafNode).value;
    else {
      const nibble = current.path[shared] as number;
      if (current.kind === 'leaf') branch.children[nibble] = createLeaf(rest, current.value, false);
      else
        branch.children[nibble] =
          rest.length === 0 ? current.child : createExtension(rest, current.child, false);
    }
    if (at + shared === path.length) branch.value = value;
    else {
      const leaf = createLeaf(path.slice(at + shared + 1), value, false);
      branch.children[path[at + shared] as number] = leaf;
    }
    return shared === 0
      ? branch
      : createExtension(current.path.subarray(0, shared), branch, current.isStored);
  }

  #remove(node: TrieNode, path: Nibbles, at: number): LoadedNode | undefined {
    const current = this.#resolve(node, path.subarray(0, at));
    if (current.kind === 'leaf') {
      if (!bytesEqual(current.path, path.subarray(at))) return current;
      this.#vacate(current, path.subarray(0, at));
      return undefined;
    }
    if (current.kind === 'extension') return this.#removeBelow(current, path, at);
    if (at === path.length) {
      if (current.value.length === 0) return current;
      current.value = EMPTY_BYTES;
    } else {
      const nibble = path[at] as number;
      const child = current.children[nibble];
      if (child === undefined) return current;
      const left = this.#remove(child, path, at + 1);
      current.children[nibble] = left;
      if (left?.ref !== undefined) return current;
    }
    current.ref = undefined;
    return this.#collapse(current, path.subarray(0, at));
  }

  #removeBelow(current: ExtensionNode, path: Nibbles, at: number): LoadedNode | undefined {
    const { length } = current.path;
    if (sharedPrefixLength(current.path, path, at) < length) return current;
    const child = this.#remove(current.child, path, at + length);
    if (child === undefined) {
      this.#vacate(current, path.subarray(0, at));
      return undefined;
    }
    current.child = child;
    if (child.ref !== undefined) return current;
    return this.#prepend(current.path, child, path.subarray(0, at), current.isStored);
  }

  /** Replaces a branch by a leaf or an extension if it has only one entry left. */
  #collapse(branch: BranchNode, path: Nibbles): LoadedNode | undefined {
    const used = branch.children.flatMap((child, nibble) => (child === undefined ? [] : [nibble]));
    const [nibble] = used;
    if (used.length > 1 || (nibble !== undefined && branch.value.length > 0)) return branch;
    if (nibble === undefined) {
      if (branch.value.length > 0) return createLeaf(EMPTY_BYTES, branch.value, branch.isStored);
      this.#vacate(branch, path);
      return undefined;
    }
    const step = Uint8Array.of(nibble);
    const child = this.#resolve(branch.children[nibble] as TrieNode, concatBytes(path, step));
    return this.#prepend(step, child, path, branch.isStored);
  }

  /**
   * Returns a node at `path` that leads to `node` by the nibbles of `step`. If `node` is a leaf or extension, `step` becomes the beginning of its
   * path.
   */
  #prepend(step: Nibbles, node: LoadedNode, path: Nibbles, isStored: boolean): LoadedNode {
    if (node.kind === 'branch') return createExtension(step, node, isStored);
    this.#vacate(node, concatBytes(path, step));
    const joined = concatBytes(step, node.path);
    return node.kind === 'leaf'
      ? createLeaf(joined, node.value, isStored)
      : createExtension(joined, node.child, isStored);
  }
}

function setValue(node: LeafNode | BranchNode, value: Uint8Array): LoadedNode {
  if (bytesEqual(node.value, value)) return node;
  node.value = value;
  node.ref = undefined;
  return node;
}
