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

/** What a trie says of a key. */
export type MerkleProof = {
  /**
   * Encoded nodes on the way to the key, the root first. A node below the root of fewer than 32 bytes is a part of the one above it.
   * Empty for an empty trie.
   */
  readonly nodes: readonly Uint8Array[];
  /** Undefined where the nodes show that the key is not there. */
  readonly value: Uint8Array | undefined;
};

/**
 * Collects the proof of a key.
 * @throws MissingTrieNodeError when the store lacks a node on the way
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

/** The only node of an empty trie. Some clients leave it out of proofs. */
const EMPTY_NODE: Uint8Array = Uint8Array.of(0x80);

/**
 * Reads the value of a key out of a proof: believes nothing but the root.
 * @param nodes as `proveKey` gives them; a part of the node before it may be there once more as a node of its own, as some clients give it
 * @param extra whether nodes that are not needed may be between and behind those that are, as some clients give them
 * @param onNode called for each node that is not a part of another one, with its hash
 * @returns undefined where the nodes prove that the key is not there
 * @throws RangeError naming what is wrong: a node that is missing, altered, no trie node, or not needed
 */
export function readProof(
  root: Uint8Array,
  key: Uint8Array,
  nodes: readonly Uint8Array[],
  onNode?: (hash: Uint8Array, encoded: Uint8Array) => void,
  extra: 'refused' | 'passed over' = 'refused',
): Uint8Array | undefined {
  let used = 0;
  const mayHaveMore = extra === 'passed over';
  const open = (ref: Uint8Array): LoadedNode => {
    const from = used;
    if (mayHaveMore)
      while (used < nodes.length && !bytesEqual(keccak256(nodes[used] as Uint8Array), ref)) used++;
    // The first that does not fit is named where none does.
    if (used === nodes.length) used = from;
    const encoded = nodes[used++];
    if (encoded === undefined) throw new RangeError(`proof: node ${used} is missing`);
    if (!bytesEqual(keccak256(encoded), ref)) throw new RangeError(`proof: node ${used} has another hash`);
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
  if (used < nodes.length && !mayHaveMore) throw new RangeError(`proof: node ${used + 1} is not needed`);
  return value;
}

/**
 * Reads the value of a key out of nodes that are found by their hash.
 * @param find gives the node with this hash, which is at this length of the path, or throws
 * @returns undefined where the nodes prove that the key is not there
 * @throws RangeError for what is no trie node
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
 * The value at the end of a path; undefined where the path leaves the trie.
 * @param enter gives the node that a child stands for, which is at this length of the path
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

/** What follows a node on the path, and after how many nibbles; undefined where the path leaves the trie. */
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
