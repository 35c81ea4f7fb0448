/** Contracts that the protocol calls: EIP-4788, 2935, 7002, 7251. */
import { hexToBytes } from '../../primitives/hex.ts';
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
