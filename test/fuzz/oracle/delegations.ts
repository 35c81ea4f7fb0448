/** Effects of a transaction's authorizations before execution (EIP-7702). */

import { type Authorization, recoverAuthority } from '../../../packages/ethereum/codecs/transaction.ts';
import { concatBytes, EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { recoverPublicKey } from '../../../scripts/chains/secp256k1.ts';
import type { AddressText, FuzzAccount } from '../fuzz-case.ts';
import { CHAIN_ID } from '../fuzz-case.ts';

const MAX_NONCE = 2n ** 64n - 1n;
const REFUND = 12_500n;

export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00;
}

export type AppliedAuthorizations = {
  readonly refund: bigint;
  /** Authorities whose accounts were accessed. */
  readonly warm: readonly AddressText[];
};

/** Applies the valid authorizations to `accounts`. */
export function applyAuthorizations(
  list: readonly Authorization[],
  accounts: Map<AddressText, FuzzAccount>,
): AppliedAuthorizations {
  let refund = 0n;
  const warm: AddressText[] = [];
  for (const authorization of list) {
    const { chainId, nonce, address } = authorization;
    if (chainId !== 0n && chainId !== CHAIN_ID) continue;
    if (nonce >= MAX_NONCE) continue;
    const authority = bytesToHex(recoverAuthority(authorization, recoverPublicKey));
    warm.push(authority);
    const account = accounts.get(authority);
    const code = account?.code ?? EMPTY_BYTES;
    if (code.length > 0 && !isDelegation(code)) continue;
    if ((account?.nonce ?? 0n) !== nonce) continue;
    if (account !== undefined) refund += REFUND;
    const isCleared = address.every((byte) => byte === 0);
    accounts.set(authority, {
      nonce: nonce + 1n,
      balance: account?.balance ?? 0n,
      code: isCleared ? EMPTY_BYTES : concatBytes(Uint8Array.of(0xef, 0x01, 0x00), address),
      storage: account?.storage ?? new Map(),
    });
  }
  return { refund, warm };
}
