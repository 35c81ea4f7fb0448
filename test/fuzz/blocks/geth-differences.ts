/** Where geth's state transition and the engine differ, and are left so: one row each. */
import { bytesToHex } from '../../../src/primitives/hex.ts';
import type { KnownDifference } from './block-oracle.ts';
import { protocolAccounts } from './block-state.ts';

/** Code of the contracts that the protocol calls, by address. */
const PROTOCOL_CODES: ReadonlyMap<string, string> = new Map(
  [...protocolAccounts()].map(([address, { code }]) => [address, bytesToHex(code)]),
);

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
  {
    // Their own code accesses no other account, so that nothing on a chain depends on it.
    reason:
      'in a system call precompiles, the beneficiary and the caller are cold in geth: seen where contracts of the protocol have other code',
    pattern: /^(?:requests hash|failure of the block|slot|access list|balance|nonce|code|existence)/,
    when: ({ accounts }) =>
      [...PROTOCOL_CODES].some(([address, code]) => {
        const account = accounts.get(address);
        return account !== undefined && bytesToHex(account.code) !== code;
      }),
  },
];
