import type { AccountAccess, BlockAccessList } from '../chain/block-access-list.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { bytesToHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** What a block left of an account that it changed; undefined is as it was before the block. */
export type AccountChange = {
  readonly balance: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly codeHash: Uint8Array | undefined;
  /** Values of the slots that were changed, without leading zeros; by lower-case `0x` text. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
};

/** The difference between the state of a block and that of its parent. */
export type BlockChanges = {
  /** By lower-case `0x` text. An account that is not here is as it was. */
  readonly accounts: ReadonlyMap<string, AccountChange>;
  /** Codes that accounts were given, by their hashes. */
  readonly codes: ReadonlyMap<string, Uint8Array>;
  /** That it takes in memory without the codes, about. */
  readonly bytes: number;
};

/** Of an account and of a slot with their keys, as the heap grows, measured. */
const ACCOUNT_BYTES = 400;
const SLOT_BYTES = 300;

/** What is left after the last part of a block, system calls and withdrawals included. @param list as its header commits to it */
export function readBlockChanges(list: BlockAccessList): BlockChanges {
  const accounts = new Map<string, AccountChange>();
  const codes = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const access of list) {
    const { storageChanges, balanceChanges, nonceChanges } = access;
    const code = copy(access.codeChanges.at(-1)?.value);
    const hasChanged = storageChanges.length + balanceChanges.length + nonceChanges.length > 0;
    if (!hasChanged && code === undefined) continue;
    const codeHash = code && keccak256(code);
    if (code !== undefined && codeHash !== undefined && code.length > 0)
      codes.set(bytesToHex(codeHash), code);
    accounts.set(bytesToHex(access.address), {
      balance: balanceChanges.at(-1)?.value,
      nonce: nonceChanges.at(-1)?.value,
      codeHash,
      slots: readSlots(access),
    });
    bytes += ACCOUNT_BYTES + storageChanges.length * SLOT_BYTES;
  }
  return { accounts, codes, bytes };
}

function readSlots({ storageChanges }: AccountAccess): ReadonlyMap<string, Uint8Array> {
  return new Map(
    storageChanges.map(({ slot, changes }) => [bytesToHex(slot), copy(changes.at(-1)?.value) ?? EMPTY_BYTES]),
  );
}

/** What is a view of an encoded list would keep all of it in memory. */
function copy(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && Uint8Array.from(bytes);
}
