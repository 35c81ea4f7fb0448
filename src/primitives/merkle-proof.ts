import { bytesEqual, EMPTY_BYTES } from './bytes.ts';
import { MissingTrieNodeError, type NodeLoader } from './merkle-trie.ts';
import {
  type BranchNode,
  bytesToNibbles,
  decodeTrieNode,
  type ExtensionNode,
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
  let node = decodeTrieNode(root, EMPTY_BYTES, true);
  let at = 0;
  for (;;) {
    if (node.kind === 'leaf') {
      return { nodes, value: bytesEqual(node.path, path.subarray(at)) ? node.value : undefined };
    }
    const step = findStep(node, path, at);
    if (step === undefined) return { nodes, value: undefined };
    at += step.length;
    if (step.child.kind === 'unloaded') {
      const encoded = load(path.subarray(0, at));
      if (encoded === undefined) throw new MissingTrieNodeError();
      nodes.push(encoded);
      node = decodeTrieNode(encoded, step.child.ref, true);
    } else node = step.child;
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
