import type { VersionedWrite } from './versioned-table.ts';

/** Path of a trie node (hex-prefix encoded), and the new node; undefined if the node is removed. */
export type NodeWrite = readonly [path: Uint8Array, encoded: Uint8Array | undefined];

/** Changes of one account's storage trie. */
export type StorageTrieWrite = {
  /** Hash of the account's address. */
  readonly owner: Uint8Array;
  /** True if all stored nodes of the trie must be removed first; `nodes` is then the complete trie. */
  readonly isCleared: boolean;
  readonly nodes: Iterable<NodeWrite>;
};

/** State changes of the blocks of a commit. */
export type StateBatch = {
  /** Accounts by address (20 bytes). */
  readonly accounts: Iterable<VersionedWrite>;
  /** Slots by address (20 bytes) and slot (32 bytes). */
  readonly slots: Iterable<VersionedWrite>;
  readonly accountTrie: Iterable<NodeWrite>;
  readonly storageTries: Iterable<StorageTrieWrite>;
  readonly codes: Iterable<readonly [hash: Uint8Array, code: Uint8Array]>;
};
