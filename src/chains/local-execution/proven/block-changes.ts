import type {
  AccountAccess,
  BlockAccessList,
} from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';

/** Changes of a block to an account; an unchanged member is undefined. */
export type AccountDelta = {
  readonly balance: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly codeHash: Uint8Array | undefined;
  /** Values of the changed slots without leading zeros, by slot as lower-case `0x` text. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
};

/** Difference between the state of a block and the state of its parent. */
export type BlockChanges = {
  /** Changes by address, as lower-case `0x` text. An account without an entry is unchanged. */
  readonly accounts: ReadonlyMap<string, AccountDelta>;
  /** New contract codes, by code hash. */
  readonly codes: ReadonlyMap<string, Uint8Array>;
  /** Approximate heap size without the codes, bytes. */
  readonly bytes: number;
};

/** Measured heap size of a changed account and of a changed slot, including their keys, bytes. */
const ACCOUNT_BYTES = 400;
const SLOT_BYTES = 300;

/**
 * Converts a block access list to the block's state changes, which include changes by system calls and withdrawals.
 * @param list access list (EIP-7928) whose hash equals the hash in the block's header
 */
export function readBlockChanges(list: BlockAccessList): BlockChanges {
  const accounts = new Map<string, AccountDelta>();
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

/** Copies bytes, because a view would retain the whole encoded list in memory. */
function copy(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && Uint8Array.from(bytes);
}
