import type {
  AccountAccess,
  BlockAccessList,
} from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';

/** Changes that a block made to an account; an undefined member is unchanged. */
export type AccountDelta = {
  readonly balance: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly codeHash: Uint8Array | undefined;
  /** Values of the changed slots, without leading zeros; keys are lower-case `0x` text. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
};

/** Difference between the state of a block and that of its parent. */
export type BlockChanges = {
  /** Changes by address, lower-case `0x` text. An absent account is unchanged. */
  readonly accounts: ReadonlyMap<string, AccountDelta>;
  /** New codes of accounts, by their hashes. */
  readonly codes: ReadonlyMap<string, Uint8Array>;
  /** Approximate heap size, codes excluded. */
  readonly bytes: number;
};

/** Heap growth per account and per slot with their keys, measured, bytes. */
const ACCOUNT_BYTES = 400;
const SLOT_BYTES = 300;

/**
 * Reads the changes after the last part of a block, system calls and withdrawals included.
 * @param list block access list (EIP-7928) that the header commits to
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

/** Copies bytes: a view would keep the whole encoded list in memory. */
function copy(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && Uint8Array.from(bytes);
}
