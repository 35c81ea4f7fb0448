/** Contracts that the protocol calls: EIP-4788, 2935, 7002, 7251, 8282. */
import { hexToBytes } from '../../../ethereum/primitives/hex.ts';
import type { SystemContract } from './revision-rules.ts';

export const BEACON_ROOTS: SystemContract = {
  name: 'BEACON_ROOTS_ADDRESS',
  address: hexToBytes('0x000f3df6d732807ef1319fb7b8bb8522d0beac02'),
};
export const HISTORY_STORAGE: SystemContract = {
  name: 'HISTORY_STORAGE_ADDRESS',
  address: hexToBytes('0x0000f90827f1c53a10cb7a02335b175320002935'),
};
export const WITHDRAWAL_REQUESTS: SystemContract = {
  name: 'WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS',
  address: hexToBytes('0x00000961ef480eb55e80d19ad83579a64c007002'),
};
export const CONSOLIDATION_REQUESTS: SystemContract = {
  name: 'CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS',
  address: hexToBytes('0x0000bbddc7ce488642fb579f8b00f3a590007251'),
};
export const BUILDER_DEPOSITS: SystemContract = {
  name: 'BUILDER_DEPOSIT_CONTRACT_ADDRESS',
  address: hexToBytes('0x0000bff46984e3725691fa540a8c7589300d8282'),
};
export const BUILDER_EXITS: SystemContract = {
  name: 'BUILDER_EXIT_CONTRACT_ADDRESS',
  address: hexToBytes('0x000064d678505ad48f8ccb093bc65613800e8282'),
};
