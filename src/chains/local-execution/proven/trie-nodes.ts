import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { readByHash } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';
import type { NodesByHash } from '../../../../packages/proofs/state-proof.ts';
import { BLOCK_LIFE, Lru } from '../../../util/lru.ts';

/** Measured heap size of a node and its hash without the node's encoding, bytes. */
const NODE_BYTES = 600;

/** Error of a look-up whose path leads to a node that is not in memory. */
class MissingNode extends UntracedError {
  /**
   * Name of the branch below the missing node: the hash of the missing node and the next nibble of the path. The proof of any key whose gap has this
   * name contains the missing node.
   */
  readonly child: string;

  constructor(hash: string, nibble: number) {
    super('a trie node is not in memory');
    this.child = `${hash}/${nibble}`;
  }
}

/**
 * Cache of state and storage trie nodes by hash. The tries of successive blocks share all nodes except those on paths to changes. Values that have
 * not changed can therefore be read below a new root without another proof.
 */
export class TrieNodes {
  readonly #nodes: Lru<string, Uint8Array>;

  /** @param bytes limit on the heap size of all nodes, bytes */
  constructor(bytes: number) {
    this.#nodes = new Lru(bytes, BLOCK_LIFE, undefined, ({ length }: Uint8Array) => length + NODE_BYTES);
  }

  /** Approximate heap size of all nodes, bytes. */
  get bytes(): number {
    return this.#nodes.weight;
  }

  add(nodes: NodesByHash): void {
    for (const [hash, encoded] of nodes) this.#nodes.set(hash, encoded);
  }

  /**
   * Reads and decodes the leaf of a key.
   * @param root hash of the trie root, lower-case `0x` text
   * @param key address or slot, lower-case `0x` text
   * @param decode decodes the leaf; throws RangeError if the leaf is malformed
   * @returns null if the trie has no leaf for the key; undefined if a node is not in memory or the leaf is malformed
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
   * Returns a name for the missing part of a trie on the path to a key; undefined if all nodes are in memory. If the gaps of several keys have the
   * same name, a proof of one of these keys is enough at first.
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
