import type { VersionedWrite } from './versioned-table.ts';

/** A trie node at its path (hex-prefix encoded); undefined where there is none any more. */
export type NodeWrite = readonly [path: Uint8Array, encoded: Uint8Array | undefined];

/** What became of one account's storage trie. */
export type StorageTrieWrite = {
  /** Hash of the account's address. */
  readonly owner: Uint8Array;
  /** All nodes that the store has are gone; `nodes` is all that there is now. */
  readonly isCleared: boolean;
  readonly nodes: Iterable<NodeWrite>;
};

/** What some blocks made of the state. */
export type StateBatch = {
  /** By address (20). */
  readonly accounts: Iterable<VersionedWrite>;
  /** By address (20) and slot (32). */
  readonly slots: Iterable<VersionedWrite>;
  readonly accountTrie: Iterable<NodeWrite>;
  readonly storageTries: Iterable<StorageTrieWrite>;
  readonly codes: Iterable<readonly [hash: Uint8Array, code: Uint8Array]>;
};
