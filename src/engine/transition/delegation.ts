/** EIP-7702: accounts that run another account's code. */
import { type Authorization, recoverAuthority } from '../../chain/transaction.ts';
import { EXISTING_AUTHORITY_REFUND } from '../../evm/intrinsic-gas.ts';
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { isLowS } from '../../primitives/signature.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import type { WorldState } from '../state/world-state.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DESIGNATION_LENGTH = 23;
const MAX_NONCE = 2n ** 64n - 1n;

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DESIGNATION_LENGTH && PREFIX.every((byte, i) => code[i] === byte);
}

/**
 * Applies a transaction's authorizations in order; invalid ones are passed over.
 * @param warm told of every authority whose signature is valid
 * @returns the gas that comes back for authorities that existed already
 */
export function applyAuthorizations(
  list: readonly Authorization[],
  chainId: bigint,
  world: WorldState,
  warm: (address: Uint8Array) => void,
): bigint {
  let refund = 0n;
  for (const authorization of list) {
    const authority = findAuthority(authorization, chainId);
    if (authority === undefined) continue;
    warm(authority);
    const code = world.getCode(authority);
    if (code.length > 0 && !isDelegation(code)) continue;
    const account = world.getAccount(authority);
    if ((account?.nonce ?? 0n) !== authorization.nonce) continue;
    if (account !== undefined) refund += EXISTING_AUTHORITY_REFUND;
    const { address } = authorization;
    world.putAccount(authority, { ...(account ?? EMPTY_ACCOUNT), nonce: authorization.nonce + 1n });
    world.putCode(
      authority,
      address.every((byte) => byte === 0) ? EMPTY_BYTES : concatBytes(PREFIX, address),
    );
  }
  return refund;
}

function findAuthority(authorization: Authorization, chainId: bigint): Uint8Array | undefined {
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return undefined;
  if (authorization.nonce >= MAX_NONCE || !isLowS(authorization.signature.s)) return undefined;
  try {
    return recoverAuthority(authorization);
  } catch {
    return undefined;
  }
}
