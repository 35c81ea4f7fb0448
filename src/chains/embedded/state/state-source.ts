import type { ChainReader } from '../store/chain-reader.ts';

/** Subset of the store that reads state. */
export type StoredStateSource = Pick<
  ChainReader,
  'findAccount' | 'findSlot' | 'getAccountNode' | 'getStorageNode' | 'getCode'
>;

/** A store without any state. */
export const EMPTY_SOURCE: StoredStateSource = {
  findAccount: () => undefined,
  findSlot: () => undefined,
  getAccountNode: () => undefined,
  getStorageNode: () => undefined,
  getCode: () => undefined,
};
