import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { AccountDelta } from './block-changes.ts';

/** Known state of an account at a block: its storage by root, by values, or by both. */
export type RolledAccount = {
  readonly account: AccountState;
  /** Undefined if blocks have changed the storage since it was last verified by a proof. */
  readonly storageRoot: string | undefined;
  /** Slot values without leading zeros; some of the slots may be below the root as well. */
  readonly slots?: ReadonlyMap<string, Uint8Array>;
};

/** Cap on slots of an account that are known by value; beyond it all of them need new proofs. */
const MAX_SLOTS = 2_048;
const NO_SLOTS: ReadonlyMap<string, Uint8Array> = new Map();
const NO_ACCOUNT: RolledAccount = {
  account: { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, hasStorage: false },
  storageRoot: undefined,
};

/**
 * Applies a block's change to an account.
 * @param before null if there was no account
 * @param listKnown lists known slots below a storage root
 * @returns null if there is no account; undefined if the changes do not determine it
 */
export function changeAccount(
  before: RolledAccount | null,
  change: AccountDelta | undefined,
  listKnown: (storageRoot: string) => Iterable<readonly [slot: string, value: Uint8Array]>,
): RolledAccount | null | undefined {
  // A touch deletes an empty account left from before EIP-161; an access list does not record that.
  if (before !== null && isEmpty(before.account)) return undefined;
  if (change === undefined) return before;
  const { account, storageRoot, slots = NO_SLOTS } = before ?? NO_ACCOUNT;
  const after = {
    nonce: change.nonce ?? account.nonce,
    balance: change.balance ?? account.balance,
    codeHash: change.codeHash ?? account.codeHash,
    hasStorage: account.hasStorage || [...change.slots.values()].some(({ length }) => length > 0),
  };
  if (isEmpty(after)) return after.hasStorage ? undefined : null;
  if (change.slots.size === 0) return { account: after, storageRoot, slots };
  // In previously empty storage, slots outside the changes are still zero, but are not listed.
  if (!account.hasStorage) return { account: after, storageRoot: undefined, slots: bound(change.slots) };
  const known = new Map(storageRoot === undefined ? slots : [...listKnown(storageRoot), ...slots]);
  for (const [slot, value] of change.slots) if (known.has(slot)) known.set(slot, value);
  return { account: after, storageRoot: undefined, slots: bound(known) };
}

function bound(slots: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return slots.size > MAX_SLOTS ? NO_SLOTS : slots;
}

/** Empty account as defined by EIP-161. */
function isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
  return nonce === 0n && balance === 0n && bytesEqual(codeHash, EMPTY_CODE_HASH);
}
