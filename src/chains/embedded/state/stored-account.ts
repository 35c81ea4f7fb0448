import { bigIntToBytes, bytesEqual, bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import { asBytes, asList, decodeRlp, encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';

/** An account as the store records it; its storage slots are in another table. */
export type StoredAccount = {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Uint8Array;
  /** Number of nonzero slots. */
  readonly slotCount: number;
  /** Number of the block in which the current storage of the account was created. Slot versions of earlier blocks belong to destroyed storage. */
  readonly storageSince: number;
};

/**
 * Layout, with lengths in bytes: flags (1), nonce, [code hash (32)], [slot count (6), `storageSince` (6)], balance. The low flag bits are the nonce's
 * length.
 */
const NONCE_LENGTH = 0x0f;
const HAS_CODE = 0x10;
const HAS_STORAGE = 0x20;
const NUMBER_LENGTH = 6;
const HASH_LENGTH = 32;

/** Encodes an account; an account that has only a balance takes about ten bytes. */
export function encodeStoredAccount(account: StoredAccount): Uint8Array {
  const { nonce, balance, codeHash, slotCount, storageSince } = account;
  const hasCode = !bytesEqual(codeHash, EMPTY_CODE_HASH);
  const [nonceBytes, balanceBytes] = [bigIntToBytes(nonce), bigIntToBytes(balance)];
  const codeLength = hasCode ? HASH_LENGTH : 0;
  const storageLength = slotCount > 0 ? 2 * NUMBER_LENGTH : 0;
  const out = new Uint8Array(1 + nonceBytes.length + codeLength + storageLength + balanceBytes.length);
  out[0] = nonceBytes.length | (hasCode ? HAS_CODE : 0) | (slotCount > 0 ? HAS_STORAGE : 0);
  out.set(nonceBytes, 1);
  let at = 1 + nonceBytes.length;
  if (hasCode) out.set(codeHash, at);
  at += codeLength;
  if (slotCount > 0) {
    writeNumber(out, at, slotCount);
    writeNumber(out, at + NUMBER_LENGTH, storageSince);
  }
  out.set(balanceBytes, at + storageLength);
  return out;
}

/** Decodes an account; returns undefined for empty bytes, which represent a nonexistent account. */
export function decodeStoredAccount(encoded: Uint8Array): StoredAccount | undefined {
  const flags = encoded[0];
  if (flags === undefined) return undefined;
  let at = 1 + (flags & NONCE_LENGTH);
  const nonce = bytesToBigInt(encoded.subarray(1, at));
  let codeHash = EMPTY_CODE_HASH;
  if (flags & HAS_CODE) {
    codeHash = encoded.subarray(at, at + HASH_LENGTH);
    at += HASH_LENGTH;
  }
  let [slotCount, storageSince] = [0, 0];
  if (flags & HAS_STORAGE) {
    slotCount = readNumber(encoded, at);
    storageSince = readNumber(encoded, at + NUMBER_LENGTH);
    at += 2 * NUMBER_LENGTH;
  }
  return { nonce, balance: bytesToBigInt(encoded.subarray(at)), codeHash, slotCount, storageSince };
}

function writeNumber(out: Uint8Array, at: number, value: number): void {
  for (let i = at + NUMBER_LENGTH - 1, rest = value; i >= at; i--, rest = Math.floor(rest / 256)) {
    out[i] = rest % 256;
  }
}

function readNumber(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + NUMBER_LENGTH; i++) value = value * 256 + (bytes[i] as number);
  return value;
}

export function toAccountState({ nonce, balance, codeHash, slotCount }: StoredAccount): AccountState {
  return { nonce, balance, codeHash, hasStorage: slotCount > 0 };
}

/** Encodes a leaf of the state trie (yellow paper 4.1). */
export function encodeAccountLeaf(account: StoredAccount, storageRoot: Uint8Array): Uint8Array {
  return encodeRlp([account.nonce, account.balance, storageRoot, account.codeHash]);
}

/** Reads the storage root of a state trie leaf, 32 bytes. */
export function readStorageRoot(leaf: Uint8Array): Uint8Array {
  return asBytes(asList(decodeRlp(leaf), 'account')[2], 'storageRoot', HASH_LENGTH);
}
