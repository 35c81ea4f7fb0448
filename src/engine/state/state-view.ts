import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { MerkleTrie, type NodeLoader } from '../../primitives/merkle-trie.ts';
import { asBytes, decodeRlp } from '../../primitives/rlp.ts';
import { type Account, decodeAccount } from './account.ts';

/** State as it is after some block. Values of storage are without leading zeros; an empty one is zero. */
export interface StateView {
  getAccount(address: Uint8Array): Account | undefined;
  /** `slot` is 32 bytes; `storageRoot` is the account's. */
  getStorage(storageRoot: Uint8Array, slot: Uint8Array): Uint8Array;
  getCode(codeHash: Uint8Array): Uint8Array;
}

/** Where trie nodes and codes are found by hash. */
export type StateSource = {
  readonly loadNode: NodeLoader;
  readonly loadCode: (hash: Uint8Array) => Uint8Array | undefined;
};

/** Nodes kept in memory by one view before it starts afresh; a node is about 0.5 KiB. */
const MAX_LOADED_NODES = 20_000;

/** A view over the Merkle Patricia trie with a given root. Nodes once read stay in memory, within bounds. */
export class TrieStateView implements StateView {
  readonly #root: Uint8Array;
  readonly #source: StateSource;
  #accounts: MerkleTrie;
  readonly #storages = new Map<string, MerkleTrie>();
  #storageNodes = 0;

  constructor(root: Uint8Array, source: StateSource) {
    this.#root = root;
    this.#source = source;
    this.#accounts = new MerkleTrie(root, source.loadNode);
  }

  getAccount(address: Uint8Array): Account | undefined {
    if (this.#accounts.loadedNodes > MAX_LOADED_NODES) {
      this.#accounts = new MerkleTrie(this.#root, this.#source.loadNode);
    }
    const encoded = this.#accounts.get(keccak256(address));
    return encoded && decodeAccount(encoded);
  }

  getStorage(storageRoot: Uint8Array, slot: Uint8Array): Uint8Array {
    if (this.#storageNodes > MAX_LOADED_NODES) {
      this.#storages.clear();
      this.#storageNodes = 0;
    }
    const key = bytesToHex(storageRoot);
    let trie = this.#storages.get(key);
    if (trie === undefined) {
      trie = new MerkleTrie(storageRoot, this.#source.loadNode);
      this.#storages.set(key, trie);
      this.#storageNodes++;
    }
    const before = trie.loadedNodes;
    const encoded = trie.get(keccak256(slot));
    this.#storageNodes += trie.loadedNodes - before;
    return encoded === undefined ? EMPTY_BYTES : asBytes(decodeRlp(encoded), 'storage value');
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const code = this.#source.loadCode(codeHash);
    if (code === undefined) throw new Error('missing code');
    return code;
  }
}
