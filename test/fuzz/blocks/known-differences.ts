/** Where geth's state transition and the engine differ, and are left so: one row each. */
import type { FuzzAccount } from '../fuzz-case.ts';
import type { BlockCase } from './block-case.ts';

type KnownDifference = {
  readonly reason: string;
  readonly pattern: RegExp;
  /** What the account that the first group of the pattern names must have been before the block. */
  readonly was: (account: FuzzAccount | undefined) => boolean;
};

const KNOWN: readonly KnownDifference[] = [
  {
    // EIP-7610 counts 28 of these accounts on mainnet, at whose addresses nothing can be created.
    reason:
      'a contract created where storage alone was, and destroyed by its creation: geth leaves the old storage',
    pattern: /^slot 0x[0-9a-f]+ of (0x[0-9a-f]{40}): expected [1-9]\d*, got 0$/,
    was: (account) =>
      account !== undefined && account.nonce === 0n && account.code.length === 0 && account.storage.size > 0,
  },
];

export function isKnownDifference(difference: string, { accounts }: BlockCase): boolean {
  return KNOWN.some(({ pattern, was }) => {
    const address = pattern.exec(difference)?.[1];
    return address !== undefined && was(accounts.get(address));
  });
}
