import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { readByHash } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';
import type { NodesByHash } from '../../../../packages/proofs/state-proof.ts';
import { BLOCK_LIFE, Lru } from '../../../util/lru.ts';

/** Heap size of a node in addition to its encoding, including its hash; measured, bytes. */
const NODE_BYTES = 600;

/** Error for a path that leads to a node that is not in memory. */
class MissingNode extends UntracedError {
  /**
   * Name of the missing node's child on the path. A proof of one key includes the missing nodes above this child, which all keys with the same name
   * share.
   */
  readonly child: string;

  constructor(hash: string, nibble: number) {
    super('a trie node is not in memory');
    this.child = `${hash}/${nibble}`;
  }
}

/**
 * Nodes of state and storage tries by their hashes. A trie shares its nodes with the trie of the previous block, except the nodes on paths to
 * changes. Values below shared nodes are therefore read under a new root without another proof.
 */
export class TrieNodes {
  readonly #nodes: Lru<string, Uint8Array>;

  /** @param bytes bound on the bytes of all nodes */
  constructor(bytes: number) {
    this.#nodes = new Lru(bytes, BLOCK_LIFE, undefined, ({ length }: Uint8Array) => length + NODE_BYTES);
  }

  /** Bytes of all nodes. */
  get bytes(): number {
    return this.#nodes.weight;
  }

  add(nodes: NodesByHash): void {
    for (const [hash, encoded] of nodes) this.#nodes.set(hash, encoded);
  }

  /**
   * Reads a leaf.
   * @param root lower-case `0x` text
   * @param key address or slot, lower-case `0x` text
   * @param decode decodes the leaf; throws RangeError if it has another form
   * @returns null if there is no leaf; undefined if a node is not in memory, or the leaf has another form
   */
  find<T>(root: string, key: string, decode: (leaf: Uint8Array) => T): T | null | undefined {
    try {
      const leaf = this.#read(root, key);
      return leaf === undefined ? null : decode(leaf);
    } catch (error) {
      if (error instanceof MissingNode || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * Names the part of a trie that a proof must cover before a key can be read; undefined if no proof is needed. One proof is requested first for all
   * keys with the same part.
   */
  findGap(root: string, key: string): string | undefined {
    try {
      this.#read(root, key);
      return undefined;
    } catch (error) {
      if (error instanceof MissingNode) return error.child;
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #read(root: string, key: string): Uint8Array | undefined {
    const path = keccak256(hexToBytes(key));
    return readByHash(hexToBytes(root), path, (ref, at) => {
      const hash = bytesToHex(ref);
      const node = this.#nodes.get(hash);
      if (node !== undefined) return node;
      const byte = path[at >> 1] as number;
      throw new MissingNode(hash, at % 2 === 0 ? byte >> 4 : byte & 15);
    });
  }
}
