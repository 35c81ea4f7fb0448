/** Accepted differences between @ethereumjs/vm 10.1.3 and the engine, one row each. */

import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import {
  CONSOLIDATION_REQUESTS_ADDRESS,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../../../scripts/contracts/system-contracts.ts';
import type { BlockCase } from './block-case.ts';
import type { KnownDifference } from './block-oracle.ts';

const isMissing =
  (address: Uint8Array) =>
  ({ accounts }: BlockCase): boolean =>
    accounts.get(bytesToHex(address)) === undefined;

export const ETHEREUMJS_DIFFERENCES: readonly KnownDifference[] = [
  {
    reason: 'EIP-7002: a block without the contract of withdrawal requests is invalid; the library goes on',
    pattern: /^failure of the block: expected undefined, got failed to process withdrawal queue: empty /,
    when: isMissing(WITHDRAWAL_REQUESTS_ADDRESS),
  },
  {
    reason:
      'EIP-7251: a block without the contract of consolidation requests is invalid; the library goes on',
    pattern: /^failure of the block: expected undefined, got failed to process consolidation queue: empty /,
    when: isMissing(CONSOLIDATION_REQUESTS_ADDRESS),
  },
];
