import { bytesToHex } from '../../primitives/hex.ts';
import { encodePath, type Nibbles } from '../../primitives/trie-node.ts';
import type { NodeWrite } from '../../store/state-batch.ts';

/** A node beside its bytes: path, arrays, map entry. As the heap grows, measured. */
const NODE_OVERHEAD_BYTES = 500;

/** Changed nodes of one trie, over those of the store: of the batch's sealed blocks and of the current one. */
export class PendingNodes {
  readonly #load: (path: Uint8Array) => Uint8Array | undefined;
  readonly #batch = new Map<string, NodeWrite>();
  readonly #current = new Map<string, NodeWrite>();
  #isCurrentCleared = false;
  #isCleared = false;
  /** Bytes that the sealed blocks hold. */
  size = 0;

  /** @param load the store's node at a path that is hex-prefix encoded */
  constructor(load: (path: Uint8Array) => Uint8Array | undefined) {
    this.#load = load;
  }

  /** Whether nodes of the store that `writes` does not name are gone. */
  get isCleared(): boolean {
    return this.#isCleared;
  }

  get writes(): Iterable<NodeWrite> {
    return this.#batch.values();
  }

  /** The node that another one refers to: one that was cleared is not asked for. */
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

  /** Removes all nodes. */
  clearNodes(): void {
    this.#current.clear();
    this.#isCurrentCleared = true;
  }

  /** The current block belongs to the batch. */
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

  /** Forgets the current block. */
  discard(): void {
    this.#current.clear();
    this.#isCurrentCleared = false;
  }

  /** The store has the batch now, or never will. */
  forgetBatch(): void {
    this.#batch.clear();
    this.#isCleared = false;
    this.size = 0;
  }
}

function sizeOf(write: NodeWrite | undefined): number {
  return write === undefined ? 0 : NODE_OVERHEAD_BYTES + (write[1]?.length ?? 0);
}
