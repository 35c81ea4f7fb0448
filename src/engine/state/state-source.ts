import type { ChainReader } from '../../store/chain-reader.ts';

/** The part of a store that holds state. */
export type StateSource = Pick<
  ChainReader,
  'findAccount' | 'findSlot' | 'getAccountNode' | 'getStorageNode' | 'getCode'
>;

/** A store without any state. */
export const EMPTY_SOURCE: StateSource = {
  findAccount: () => undefined,
  findSlot: () => undefined,
  getAccountNode: () => undefined,
  getStorageNode: () => undefined,
  getCode: () => undefined,
};
