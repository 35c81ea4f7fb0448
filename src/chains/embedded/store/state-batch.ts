import type { VersionedWrite } from './versioned-table.ts';

/** A trie node at its path (hex-prefix encoded); undefined when it is removed. */
export type NodeWrite = readonly [path: Uint8Array, encoded: Uint8Array | undefined];

/** Changes of one account's storage trie. */
export type StorageTrieWrite = {
  /** Hash of the account's address. */
  readonly owner: Uint8Array;
  /** All stored nodes are removed, and `nodes` is the complete trie. */
  readonly isCleared: boolean;
  readonly nodes: Iterable<NodeWrite>;
};

/** State changes of some blocks. */
export type StateBatch = {
  /** By address (20). */
  readonly accounts: Iterable<VersionedWrite>;
  /** By address (20) and slot (32). */
  readonly slots: Iterable<VersionedWrite>;
  readonly accountTrie: Iterable<NodeWrite>;
  readonly storageTries: Iterable<StorageTrieWrite>;
  readonly codes: Iterable<readonly [hash: Uint8Array, code: Uint8Array]>;
};
