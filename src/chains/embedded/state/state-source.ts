import type { ChainReader } from '../store/chain-reader.ts';

/** Methods of `ChainReader` that read state, codes and trie nodes. */
export type StoredStateSource = Pick<
  ChainReader,
  'findAccount' | 'findSlot' | 'getAccountNode' | 'getStorageNode' | 'getCode'
>;

/** Source of an empty state, for building a genesis state. */
export const EMPTY_SOURCE: StoredStateSource = {
  findAccount: () => undefined,
  findSlot: () => undefined,
  getAccountNode: () => undefined,
  getStorageNode: () => undefined,
  getCode: () => undefined,
};
