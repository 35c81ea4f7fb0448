import { bytesEqual, EMPTY_BYTES } from './bytes.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from './keccak.ts';
import { MissingTrieNodeError, type NodeLoader } from './merkle-trie.ts';
import {
  type BranchNode,
  bytesToNibbles,
  decodeTrieNode,
  type ExtensionNode,
  followNode,
  type LoadedNode,
  type Nibbles,
  sharedPrefixLength,
  type TrieNode,
} from './trie-node.ts';

/** Merkle proof of one key. */
export type MerkleProof = {
  /**
   * Encoded nodes on the path of the key, the root first. A non-root node of fewer than 32 bytes is embedded in its parent.
   * The list is empty for an empty trie.
   */
  readonly nodes: readonly Uint8Array[];
  /** Value of the key; undefined if the nodes prove that the key is absent. */
  readonly value: Uint8Array | undefined;
};

/**
 * Collects the proof of a key.
 * @throws MissingTrieNodeError if the store lacks a node on the path
 */
export function proveKey(key: Uint8Array, load: NodeLoader): MerkleProof {
  const path = bytesToNibbles(key);
  const root = load(EMPTY_BYTES);
  if (root === undefined) return { nodes: [], value: undefined };
  const nodes = [root];
  const value = followPath(path, decodeTrieNode(root, EMPTY_BYTES, true), (child, at) => {
    if (child.kind !== 'unloaded') return child;
    const encoded = load(path.subarray(0, at));
    if (encoded === undefined) throw new MissingTrieNodeError();
    nodes.push(encoded);
    return decodeTrieNode(encoded, child.ref, true);
  });
  return { nodes, value };
}

/** The only node of an empty trie. Some clients omit this node from proofs. */
const EMPTY_NODE: Uint8Array = Uint8Array.of(0x80);

/**
 * Reads the value of a key from a proof, trusting nothing except the root.
 * @param nodes encoded nodes, the root first. An embedded node may also be listed separately, since some clients do so.
 * @param onExtra called with the position of each node that is not on the path of `key`. Some clients send nodes that are not needed. Without
 * `onExtra`, a node that is not needed is an error.
 * @param onNode called with hash and encoding of each node that is not embedded
 * @returns undefined if the nodes prove that the key is absent
 * @throws RangeError if a node is missing, altered, malformed or not needed
 */
export function readProof(
  root: Uint8Array,
  key: Uint8Array,
  nodes: readonly Uint8Array[],
  onNode?: (hash: Uint8Array, encoded: Uint8Array) => void,
  onExtra?: (position: number) => void,
): Uint8Array | undefined {
  let used = 0;
  const open = (ref: Uint8Array): LoadedNode => {
    const from = used;
    if (onExtra !== undefined)
      while (used < nodes.length && !bytesEqual(keccak256(nodes[used] as Uint8Array), ref)) used++;
    // If no unused node has the expected hash, the error names the first unused node.
    if (used === nodes.length) used = from;
    for (let at = from; at < used; at++) onExtra?.(at);
    const encoded = nodes[used++];
    if (encoded === undefined) throw new RangeError(`proof: node ${used} is missing`);
    if (!bytesEqual(keccak256(encoded), ref))
      throw new RangeError(`proof: node ${used} does not have the expected hash`);
    onNode?.(ref, encoded);
    return decodeTrieNode(encoded, ref, true);
  };
  let value: Uint8Array | undefined;
  if (bytesEqual(root, EMPTY_TRIE_ROOT)) {
    if (nodes[0] !== undefined && bytesEqual(nodes[0], EMPTY_NODE)) used = 1;
  } else {
    value = followPath(bytesToNibbles(key), open(root), (child) => {
      if (child.kind === 'unloaded') return open(child.ref);
      const next = nodes[used];
      if (next !== undefined && child.ref !== undefined && bytesEqual(next, child.ref)) used++;
      return child;
    });
  }
  if (used < nodes.length && onExtra === undefined)
    throw new RangeError(`proof: node ${used + 1} is not needed`);
  for (let at = used; at < nodes.length; at++) onExtra?.(at);
  return value;
}

/**
 * Reads the value of a key from nodes that are looked up by hash.
 * @param find returns the node with this hash, `at` nibbles below the root, or throws
 * @returns undefined if the nodes prove that the key is absent
 * @throws RangeError if a node is malformed
 */
export function readByHash(
  root: Uint8Array,
  key: Uint8Array,
  find: (hash: Uint8Array, at: number) => Uint8Array,
): Uint8Array | undefined {
  if (bytesEqual(root, EMPTY_TRIE_ROOT)) return undefined;
  const path = bytesToNibbles(key);
  let step = followNode(find(root, 0), path, 0);
  while (step !== undefined && step.kind !== 'value') {
    const { kind, bytes, at } = step;
    step = followNode(kind === 'hash' ? find(bytes, at) : bytes, path, at);
  }
  return step?.bytes;
}

/**
 * Returns the value at the end of a path; undefined if the path leaves the trie.
 * @param enter resolves a child, `at` nibbles below the root, to its node
 */
function followPath(
  path: Nibbles,
  root: LoadedNode,
  enter: (child: TrieNode, at: number) => LoadedNode,
): Uint8Array | undefined {
  let node = root;
  for (let at = 0; ; ) {
    if (node.kind === 'leaf') return bytesEqual(node.path, path.subarray(at)) ? node.value : undefined;
    if (node.kind === 'branch' && at === path.length) return node.value.length === 0 ? undefined : node.value;
    const step = findStep(node, path, at);
    if (step === undefined) return undefined;
    at += step.length;
    node = enter(step.child, at);
  }
}

/** Returns the next node on the path, and its distance in nibbles; undefined if the path leaves the trie. */
function findStep(
  node: BranchNode | ExtensionNode,
  path: Nibbles,
  at: number,
): { readonly child: TrieNode; readonly length: number } | undefined {
  if (node.kind === 'extension') {
    const { length } = node.path;
    return sharedPrefixLength(node.path, path, at) < length ? undefined : { child: node.child, length };
  }
  const child = node.children[path[at] as number];
  return child && { child, length: 1 };
}
