import type { AccountState } from '../evm/host.ts';
import { bytesEqual } from '../primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts';
import type { AccountChange } from './block-changes.ts';

/** What is known of an account at a block: its storage by its root, by values, or by both. */
export type RolledAccount = {
  readonly account: AccountState;
  /** Undefined where blocks have changed the storage since it was proven. */
  readonly storageRoot: string | undefined;
  /** Values without leading zeros, of slots of which some are below the root as well. */
  readonly slots?: ReadonlyMap<string, Uint8Array>;
};

/** Slots of an account that are known by value; beyond that all of them are proven anew. */
const MAX_SLOTS = 2_048;
const NO_SLOTS: ReadonlyMap<string, Uint8Array> = new Map();
const NO_ACCOUNT: RolledAccount = {
  account: { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, hasStorage: false },
  storageRoot: undefined,
};

/**
 * The account as a block left it.
 * @param before null where there was none
 * @param listKnown slots that are known below a storage root
 * @returns null where there is none; undefined where the changes do not tell
 */
export function changeAccount(
  before: RolledAccount | null,
  change: AccountChange | undefined,
  listKnown: (storageRoot: string) => Iterable<readonly [slot: string, value: Uint8Array]>,
): RolledAccount | null | undefined {
  // An empty account that is left from before EIP-161 is deleted by a touch, of which a list says nothing.
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
  // Of storage that was empty, what is not among the changes is zero still, but is not listed.
  if (!account.hasStorage) return { account: after, storageRoot: undefined, slots: bound(change.slots) };
  const known = new Map(storageRoot === undefined ? slots : [...listKnown(storageRoot), ...slots]);
  for (const [slot, value] of change.slots) if (known.has(slot)) known.set(slot, value);
  return { account: after, storageRoot: undefined, slots: bound(known) };
}

function bound(slots: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return slots.size > MAX_SLOTS ? NO_SLOTS : slots;
}

/** As EIP-161 says. */
function isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
  return nonce === 0n && balance === 0n && bytesEqual(codeHash, EMPTY_CODE_HASH);
}
