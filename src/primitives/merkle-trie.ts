/**
 * A Merkle Patricia trie over a store of nodes by hash. Updates build new nodes and leave the stored ones as
 * they are, so every root ever committed stays readable.
 */
import { bytesEqual, concatBytes, EMPTY_BYTES } from './bytes.ts';
import { EMPTY_TRIE_ROOT } from './keccak.ts';
import { encodeRlp } from './rlp.ts';
import {
  type BranchNode,
  bytesToNibbles,
  decodeTrieNode,
  hashRootNode,
  isSameValue,
  type Nibbles,
  type NodeSink,
  sharedPrefixLength,
  type TrieNode,
} from './trie-node.ts';

/** Encoded node by its hash; undefined when the store does not have it. */
export type NodeLoader = (hash: Uint8Array) => Uint8Array | undefined;

type LoadedNode = Exclude<TrieNode, { kind: 'unloaded' }>;

export class MissingTrieNodeError extends Error {
  constructor() {
    super('missing trie node');
    this.name = 'MissingTrieNodeError';
  }
}

export class MerkleTrie {
  #root: TrieNode | undefined;
  readonly #load: NodeLoader;
  /** Nodes held in memory because a path ran through them: what a holder bounds. */
  loadedNodes = 0;

  constructor(root: Uint8Array, load: NodeLoader) {
    this.#root = bytesEqual(root, EMPTY_TRIE_ROOT) ? undefined : { kind: 'unloaded', ref: root };
    this.#load = load;
  }

  /** @throws MissingTrieNodeError when the store lacks a node on the path. */
  get(key: Uint8Array): Uint8Array | undefined {
    const path = bytesToNibbles(key);
    let at = 0;
    let node = this.#root === undefined ? undefined : this.#resolve(this.#root);
    this.#root = node;
    while (node !== undefined) {
      if (node.kind === 'leaf') {
        const rest = path.subarray(at);
        return bytesEqual(node.path, rest) ? node.value : undefined;
      }
      if (node.kind === 'extension') {
        if (sharedPrefixLength(node.path, path, at) < node.path.length) return undefined;
        at += node.path.length;
        const child = this.#resolve(node.child);
        node.child = child;
        node = child;
        continue;
      }
      if (at === path.length) return node.value.length === 0 ? undefined : node.value;
      const nibble = path[at++] as number;
      const next: TrieNode | undefined = node.children[nibble];
      const child: LoadedNode | undefined = next === undefined ? undefined : this.#resolve(next);
      node.children[nibble] = child;
      node = child;
    }
    return undefined;
  }

  /** Sets a value; the empty value deletes the key. */
  put(key: Uint8Array, value: Uint8Array): void {
    const path = bytesToNibbles(key);
    this.#root =
      value.length === 0
        ? this.#root && this.#remove(this.#root, path, 0)
        : this.#insert(this.#root, path, 0, value);
  }

  /** The root hash; hands every new node to `store`. */
  commit(store: NodeSink): Uint8Array {
    return this.#root === undefined ? EMPTY_TRIE_ROOT : hashRootNode(this.#root, store);
  }

  #resolve(node: TrieNode): LoadedNode {
    if (node.kind !== 'unloaded') return node;
    const encoded = this.#load(node.ref);
    if (encoded === undefined) throw new MissingTrieNodeError();
    this.loadedNodes++;
    return decodeTrieNode(encoded, node.ref) as LoadedNode;
  }

  #insert(node: TrieNode | undefined, path: Nibbles, at: number, value: Uint8Array): TrieNode {
    if (node === undefined) return { kind: 'leaf', path: path.slice(at), value };
    const current = this.#resolve(node);
    if (current.kind === 'branch') {
      if (at === path.length) return { kind: 'branch', children: current.children.slice(), value };
      const children = current.children.slice();
      const nibble = path[at] as number;
      children[nibble] = this.#insert(children[nibble], path, at + 1, value);
      return { kind: 'branch', children, value: current.value };
    }
    const shared = sharedPrefixLength(current.path, path, at);
    if (current.kind === 'extension' && shared === current.path.length) {
      return {
        kind: 'extension',
        path: current.path,
        child: this.#insert(current.child, path, at + shared, value),
      };
    }
    if (current.kind === 'leaf' && shared === current.path.length && at + shared === path.length) {
      return isSameValue(current.value, value) ? current : { kind: 'leaf', path: current.path, value };
    }
    return this.#split(current, shared, path, at, value);
  }

  /** Replaces a leaf or extension, whose path leaves ours after `shared` nibbles, by a branch. */
  #split(
    current: Exclude<LoadedNode, BranchNode>,
    shared: number,
    path: Nibbles,
    at: number,
    value: Uint8Array,
  ): TrieNode {
    const children: (TrieNode | undefined)[] = new Array(16).fill(undefined);
    let branchValue: Uint8Array = EMPTY_BYTES;
    if (current.kind === 'leaf') {
      if (current.path.length === shared) branchValue = current.value;
      else {
        const rest = current.path.subarray(shared + 1);
        children[current.path[shared] as number] = { kind: 'leaf', path: rest, value: current.value };
      }
    } else {
      const rest = current.path.subarray(shared + 1);
      children[current.path[shared] as number] =
        rest.length === 0 ? current.child : { kind: 'extension', path: rest, child: current.child };
    }
    if (at + shared === path.length) branchValue = value;
    else children[path[at + shared] as number] = { kind: 'leaf', path: path.slice(at + shared + 1), value };
    const branch: TrieNode = { kind: 'branch', children, value: branchValue };
    if (shared === 0) return branch;
    return { kind: 'extension', path: current.path.subarray(0, shared), child: branch };
  }

  #remove(node: TrieNode, path: Nibbles, at: number): TrieNode | undefined {
    const current = this.#resolve(node);
    if (current.kind === 'leaf') return bytesEqual(current.path, path.subarray(at)) ? undefined : current;
    if (current.kind === 'extension') {
      if (sharedPrefixLength(current.path, path, at) < current.path.length) return current;
      const child = this.#remove(current.child, path, at + current.path.length);
      if (child === current.child) return current;
      return child === undefined ? undefined : this.#prepend(current.path, child);
    }
    if (at === path.length) {
      if (current.value.length === 0) return current;
      return this.#collapse({ kind: 'branch', children: current.children.slice(), value: EMPTY_BYTES });
    }
    const nibble = path[at] as number;
    const child = current.children[nibble];
    if (child === undefined) return current;
    const replaced = this.#remove(child, path, at + 1);
    if (replaced === child) return current;
    const children = current.children.slice();
    children[nibble] = replaced;
    return this.#collapse({ kind: 'branch', children, value: current.value });
  }

  /** A branch with a single way on is no branch: it becomes a leaf or an extension. */
  #collapse(branch: BranchNode): TrieNode | undefined {
    const used = branch.children.flatMap((child, nibble) => (child === undefined ? [] : [nibble]));
    if (used.length > 1 || (used.length === 1 && branch.value.length > 0)) return branch;
    const nibble = used[0];
    if (nibble !== undefined)
      return this.#prepend(Uint8Array.of(nibble), branch.children[nibble] as TrieNode);
    return branch.value.length === 0 ? undefined : { kind: 'leaf', path: EMPTY_BYTES, value: branch.value };
  }

  #prepend(path: Nibbles, node: TrieNode): TrieNode {
    const current = this.#resolve(node);
    if (current.kind === 'branch') return { kind: 'extension', path, child: node };
    const joined = concatBytes(path, current.path);
    if (current.kind === 'leaf') return { kind: 'leaf', path: joined, value: current.value };
    return { kind: 'extension', path: joined, child: current.child };
  }
}

/** Root of a list (transactions, receipts, withdrawals) keyed by RLP of the index. */
export function computeOrderedRoot(values: readonly Uint8Array[]): Uint8Array {
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, () => undefined);
  values.forEach((value, index) => {
    trie.put(encodeRlp(BigInt(index)), value);
  });
  return trie.commit(() => undefined);
}
