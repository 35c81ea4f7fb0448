import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { MerkleTrie, type NodeLoader } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { encodePath } from '../../../../packages/ethereum/primitives/trie-node.ts';
import type { NodeWrite, StorageTrieWrite } from '../store/state-batch.ts';
import { PendingNodes } from './pending-nodes.ts';
import type { StoredStateSource } from './state-source.ts';
import { encodeAccountLeaf, readStorageRoot, type StoredAccount } from './stored-account.ts';

/** Changes of one account that `StateTrie.apply` writes into the tries. */
export type TrieChange = {
  /** Hash of the account's address. */
  readonly owner: Uint8Array;
  readonly account: StoredAccount | undefined;
  readonly isStorageCleared: boolean;
  /** Hashes of slots, and their values without leading zeros (empty for zero). */
  readonly slots: readonly (readonly [slotHash: Uint8Array, value: Uint8Array])[];
};

type StorageTrie = { readonly owner: Uint8Array; readonly nodes: PendingNodes; trie: MerkleTrie | undefined };

/** Number of loaded trie nodes above which all nodes are unloaded; each node takes about 1 KiB. */
const MAX_LOADED_NODES = 30_000;

/**
 * State trie and storage tries after the newest block. Changes that are not in the store belong to a batch of sealed blocks or to the current block,
 * as in `PendingState`.
 */
export class StateTrie {
  readonly #source: StoredStateSource;
  readonly #accountNodes: PendingNodes;
  #accounts: MerkleTrie;
  readonly #storages = new Map<string, StorageTrie>();
  /** Storage tries that the current block has changed. */
  readonly #changed = new Set<StorageTrie>();
  #storageNodes = 0;
  #storageBytes = 0;
  #root: Uint8Array;
  #sealedRoot: Uint8Array;

  constructor(source: StoredStateSource) {
    this.#source = source;
    this.#accountNodes = new PendingNodes((path) => source.getAccountNode(path));
    const node = source.getAccountNode(encodePath(EMPTY_BYTES, false));
    this.#root = node === undefined ? EMPTY_TRIE_ROOT : keccak256(node);
    this.#sealedRoot = this.#root;
    this.#accounts = new MerkleTrie(this.#root, this.#accountNodes.get);
  }

  /** Applies changes, which must be sorted by `owner` and, within an account, by slot hash. @returns the state root */
  apply(changes: readonly TrieChange[]): Uint8Array {
    for (const change of changes) {
      const { owner, account } = change;
      const storageRoot = this.#applyStorage(change);
      this.#accounts.put(
        owner,
        account === undefined ? EMPTY_BYTES : encodeAccountLeaf(account, storageRoot),
      );
    }
    this.#root = this.#accounts.commit(this.#accountNodes.set);
    if (this.#accounts.loadedNodes + this.#storageNodes > MAX_LOADED_NODES) this.unload();
    return this.#root;
  }

  seal(): void {
    this.#accountNodes.seal();
    for (const { nodes } of this.#changed) {
      this.#storageBytes -= nodes.size;
      nodes.seal();
      this.#storageBytes += nodes.size;
    }
    this.#changed.clear();
    this.#sealedRoot = this.#root;
  }

  discard(): void {
    this.#accountNodes.discard();
    for (const { nodes } of this.#changed) nodes.discard();
    this.#changed.clear();
    this.#root = this.#sealedRoot;
    this.unload();
  }

  /** Loads nodes of the state trie. */
  get accountNodes(): NodeLoader {
    return this.#accountNodes.get;
  }

  /** Returns a loader for nodes of an account's storage trie; `owner` is the hash of its address. */
  storageNodes(owner: Uint8Array): NodeLoader {
    const changed = this.#storages.get(bytesToHex(owner));
    return changed?.nodes.get ?? ((path) => this.#source.getStorageNode(owner, encodePath(path, false)));
  }

  get accountWrites(): Iterable<NodeWrite> {
    return this.#accountNodes.writes;
  }

  get storageWrites(): StorageTrieWrite[] {
    return [...this.#storages.values()].map(({ owner, nodes }) => ({
      owner,
      isCleared: nodes.isCleared,
      nodes: nodes.writes,
    }));
  }

  /** Approximate heap size of the changed nodes of sealed blocks, bytes. */
  get size(): number {
    return this.#accountNodes.size + this.#storageBytes;
  }

  /** Clears the batch after it was committed to the store. */
  forgetBatch(): void {
    this.#accountNodes.forgetBatch();
    this.#storageBytes = 0;
    for (const [key, { nodes, trie }] of this.#storages) {
      nodes.forgetBatch();
      if (trie === undefined) this.#storages.delete(key);
    }
  }

  #applyStorage({ owner, account, isStorageCleared, slots }: TrieChange): Uint8Array {
    const isUntouched = slots.length === 0 && !isStorageCleared;
    if (isUntouched && (account === undefined || account.slotCount === 0)) return EMPTY_TRIE_ROOT;
    const leaf = isStorageCleared ? undefined : this.#accounts.get(owner);
    const root = leaf === undefined ? EMPTY_TRIE_ROOT : readStorageRoot(leaf);
    if (isUntouched) return root;
    const storage = this.#openStorage(owner);
    if (isStorageCleared) {
      storage.nodes.clearNodes();
      storage.trie = undefined;
    }
    this.#changed.add(storage);
    const trie = storage.trie ?? new MerkleTrie(root, storage.nodes.get);
    if (storage.trie === undefined) this.#storageNodes++;
    storage.trie = trie;
    const loadedBefore = trie.loadedNodes;
    for (const [slotHash, value] of slots) {
      trie.put(slotHash, value.length === 0 ? value : encodeRlp(value));
    }
    this.#storageNodes += trie.loadedNodes - loadedBefore;
    return trie.commit(storage.nodes.set);
  }

  #openStorage(owner: Uint8Array): StorageTrie {
    const key = bytesToHex(owner);
    let storage = this.#storages.get(key);
    if (storage === undefined) {
      const nodes = new PendingNodes((path) => this.#source.getStorageNode(owner, path));
      storage = { owner, nodes, trie: undefined };
      this.#storages.set(key, storage);
    }
    return storage;
  }

  /** Drops all cached nodes, which are read again on demand. */
  unload(): void {
    this.#accounts = new MerkleTrie(this.#root, this.#accountNodes.get);
    for (const storage of this.#storages.values()) storage.trie = undefined;
    this.#storageNodes = 0;
  }
}
