/** Accepted differences between geth's state transition and the engine, one row each. */
import type { KnownDifference } from './block-oracle.ts';

export const GETH_DIFFERENCES: readonly KnownDifference[] = [
  {
    // EIP-7610 counts 28 of these accounts on mainnet; nothing can be created at their addresses.
    reason:
      'a contract created where storage alone was, and destroyed by its creation: geth leaves the old storage',
    pattern: /^slot 0x[0-9a-f]+ of (0x[0-9a-f]{40}): expected [1-9]\d*, got 0$/,
    when: ({ accounts }, address) => {
      const account = accounts.get(address);
      if (account === undefined) return false;
      return account.nonce === 0n && account.code.length === 0 && account.storage.size > 0;
    },
  },
];
