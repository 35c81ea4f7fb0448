import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { AccountDelta } from './block-changes.ts';

/** Known state of an account at a block. Slots are known through trie nodes below the storage root, by value (`slots`), or both. */
export type RolledAccount = {
  readonly account: AccountState;
  /** Storage root; undefined if blocks have changed the storage since a proof verified the root. */
  readonly storageRoot: string | undefined;
  /** Values of slots without leading zeros. The trie nodes below the storage root may contain the same slots and others. */
  readonly slots?: ReadonlyMap<string, Uint8Array>;
};

/**
 * Maximum number of slots of an account that are known by value. If an account has more slots that are known by value, all these values are dropped
 * and need new proofs.
 */
const MAX_SLOTS = 2_048;
const NO_SLOTS: ReadonlyMap<string, Uint8Array> = new Map();
const NO_ACCOUNT: RolledAccount = {
  account: { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, hasStorage: false },
  storageRoot: undefined,
};

/**
 * Applies the changes of a block to an account.
 * @param before account before the block; null if it did not exist
 * @param listKnown lists the slots whose values are known below a storage root
 * @returns null if the account does not exist afterwards; undefined if the changes do not determine it
 */
export function changeAccount(
  before: RolledAccount | null,
  change: AccountDelta | undefined,
  listKnown: (storageRoot: string) => Iterable<readonly [slot: string, value: Uint8Array]>,
): RolledAccount | null | undefined {
  // An empty account from before EIP-161 is deleted when it is touched, and an access list does not record this deletion.
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
  // If the account had no storage, each slot without a change is zero, but such slots are not added to the known slots.
  if (!account.hasStorage) return { account: after, storageRoot: undefined, slots: bound(change.slots) };
  const known = new Map(storageRoot === undefined ? slots : [...listKnown(storageRoot), ...slots]);
  for (const [slot, value] of change.slots) if (known.has(slot)) known.set(slot, value);
  return { account: after, storageRoot: undefined, slots: bound(known) };
}

function bound(slots: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return slots.size > MAX_SLOTS ? NO_SLOTS : slots;
}

/** Returns whether an account is empty as defined by EIP-161. */
function isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
  return nonce === 0n && balance === 0n && bytesEqual(codeHash, EMPTY_CODE_HASH);
}
