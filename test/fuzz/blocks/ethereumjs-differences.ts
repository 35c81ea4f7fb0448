/** Where @ethereumjs/vm 10.1.3 and the engine differ, and are left so: one row each. */
import {
  CONSOLIDATION_REQUESTS_ADDRESS,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../../../scripts/contracts/system-contracts.ts';
import { bytesToHex } from '../../../src/primitives/hex.ts';
import type { BlockCase } from './block-case.ts';
import type { KnownDifference } from './block-oracle.ts';
import { protocolAccounts } from './block-state.ts';

const PROTOCOL = protocolAccounts();

/** Whether a contract of the protocol has other code than its own, or none. */
export function hasOtherCode({ accounts }: BlockCase, address: string): boolean {
  const [code, own] = [accounts.get(address)?.code, PROTOCOL.get(address)?.code];
  return code === undefined || own === undefined || bytesToHex(code) !== bytesToHex(own);
}

export const ETHEREUMJS_DIFFERENCES: readonly KnownDifference[] = [
  {
    reason:
      'EIP-7002: a call of the withdrawal queue that fails makes the block invalid; the library goes on',
    pattern: /^failure of the block: expected undefined, got failed to process withdrawal queue: /,
    when: (blockCase) => hasOtherCode(blockCase, bytesToHex(WITHDRAWAL_REQUESTS_ADDRESS)),
  },
  {
    reason:
      'EIP-7251: a call of the consolidation queue that fails makes the block invalid; the library goes on',
    pattern: /^failure of the block: expected undefined, got failed to process consolidation queue: /,
    when: (blockCase) => hasOtherCode(blockCase, bytesToHex(CONSOLIDATION_REQUESTS_ADDRESS)),
  },
];
