import { bytesToHex, hexToBytes } from '../../primitives/hex.ts';
import type { NodeSink } from '../../primitives/trie-node.ts';
import type { NewState } from '../../store/chain-writer.ts';

type Lookup = (hash: Uint8Array) => Uint8Array | undefined;

/** State that is computed but not yet committed, in front of the store. */
export class StateBuffer {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #loadStoredNode: Lookup;
  readonly #loadStoredCode: Lookup;
  /** Bytes of nodes and codes held. */
  size = 0;

  constructor(loadStoredNode: Lookup, loadStoredCode: Lookup) {
    this.#loadStoredNode = loadStoredNode;
    this.#loadStoredCode = loadStoredCode;
  }

  readonly loadNode: Lookup = (hash) => this.#nodes.get(bytesToHex(hash)) ?? this.#loadStoredNode(hash);

  readonly loadCode: Lookup = (hash) => this.#codes.get(bytesToHex(hash)) ?? this.#loadStoredCode(hash);

  readonly storeNode: NodeSink = (hash, encoded) => {
    this.#nodes.set(bytesToHex(hash), encoded);
    this.size += encoded.length;
  };

  addCodes(codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) {
      this.#codes.set(hash, code);
      this.size += code.length;
    }
  }

  /** Everything held, for the store. */
  get contents(): NewState {
    const byHash = (map: ReadonlyMap<string, Uint8Array>): [Uint8Array, Uint8Array][] =>
      [...map].map(([hash, value]) => [hexToBytes(hash), value]);
    return { nodes: byHash(this.#nodes), codes: byHash(this.#codes) };
  }

  clear(): void {
    this.#nodes.clear();
    this.#codes.clear();
    this.size = 0;
  }
}
