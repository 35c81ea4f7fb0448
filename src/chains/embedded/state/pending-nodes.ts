import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodePath, type Nibbles } from '../../../../packages/ethereum/primitives/trie-node.ts';
import type { NodeWrite } from '../store/state-batch.ts';

/** Measured heap size of a node without its encoding (path, arrays, map entry), bytes. */
const NODE_OVERHEAD_BYTES = 500;

/** Changed nodes of one trie that are not in the store yet: nodes of the batch of sealed blocks, and nodes of the current block. */
export class PendingNodes {
  readonly #load: (path: Uint8Array) => Uint8Array | undefined;
  readonly #batch = new Map<string, NodeWrite>();
  readonly #current = new Map<string, NodeWrite>();
  #isCurrentCleared = false;
  #isCleared = false;
  /** Approximate heap size of the nodes of sealed blocks, bytes. */
  size = 0;

  /** @param load returns the stored node at a hex-prefix encoded path */
  constructor(load: (path: Uint8Array) => Uint8Array | undefined) {
    this.#load = load;
  }

  /** True if the commit must delete all stored nodes of the trie before it writes `writes`. */
  get isCleared(): boolean {
    return this.#isCleared;
  }

  get writes(): Iterable<NodeWrite> {
    return this.#batch.values();
  }

  /**
   * Loads a node that another node or the root references. If the trie was cleared, it references no stored node, so the lookup in the store needs no
   * check.
   */
  readonly get = (path: Nibbles): Uint8Array | undefined => {
    const encodedPath = encodePath(path, false);
    const key = bytesToHex(encodedPath);
    const write = this.#current.get(key) ?? this.#batch.get(key);
    return write === undefined ? this.#load(encodedPath) : write[1];
  };

  readonly set = (path: Nibbles, encoded: Uint8Array | undefined): void => {
    const encodedPath = encodePath(path, false);
    this.#current.set(bytesToHex(encodedPath), [encodedPath, encoded]);
  };

  /** Removes all nodes of the trie: the nodes of the current block, of the batch and of the store. */
  clearNodes(): void {
    this.#current.clear();
    this.#isCurrentCleared = true;
  }

  /** Adds the current block to the batch. */
  seal(): void {
    if (this.#isCurrentCleared) {
      this.forgetBatch();
      this.#isCleared = true;
    }
    for (const [key, write] of this.#current) {
      this.size += NODE_OVERHEAD_BYTES + (write[1]?.length ?? 0) - sizeOf(this.#batch.get(key));
      this.#batch.set(key, write);
    }
    this.discard();
  }

  /** Discards the current block. */
  discard(): void {
    this.#current.clear();
    this.#isCurrentCleared = false;
  }

  /** Clears the batch after it was committed to the store or dropped. */
  forgetBatch(): void {
    this.#batch.clear();
    this.#isCleared = false;
    this.size = 0;
  }
}

function sizeOf(write: NodeWrite | undefined): number {
  return write === undefined ? 0 : NODE_OVERHEAD_BYTES + (write[1]?.length ?? 0);
}
