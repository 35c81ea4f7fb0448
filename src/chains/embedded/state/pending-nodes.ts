import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodePath, type Nibbles } from '../../../../packages/ethereum/primitives/trie-node.ts';
import type { NodeWrite } from '../store/state-batch.ts';

/** Heap overhead of a node in addition to its bytes (path, arrays, map entry), measured. */
const NODE_OVERHEAD_BYTES = 500;

/** Changed nodes of one trie on top of the store: the nodes of the batch's sealed blocks, and the nodes of the current block. */
export class PendingNodes {
  readonly #load: (path: Uint8Array) => Uint8Array | undefined;
  readonly #batch = new Map<string, NodeWrite>();
  readonly #current = new Map<string, NodeWrite>();
  #isCurrentCleared = false;
  #isCleared = false;
  /** Bytes of the nodes of sealed blocks. */
  size = 0;

  /** @param load returns the stored node at a hex-prefix encoded path */
  constructor(load: (path: Uint8Array) => Uint8Array | undefined) {
    this.#load = load;
  }

  /** True if all nodes of the store that are not in `writes` are deleted. */
  get isCleared(): boolean {
    return this.#isCleared;
  }

  get writes(): Iterable<NodeWrite> {
    return this.#batch.values();
  }

  /** Loads a referenced node. A cleared node is never referenced, and is therefore never requested. */
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

  /** Removes all nodes, both those of the current block and those of the store. */
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
