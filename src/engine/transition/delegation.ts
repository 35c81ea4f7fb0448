/** EIP-7702: accounts that run another account's code. */
import { type Authorization, recoverAuthority } from '../../chain/transaction.ts';
import type { WorldState } from '../../evm/world-state.ts';
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/keccak.ts';
import { isLowS } from '../../primitives/signature.ts';
import type { ExecutionContext } from './running-transaction.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DESIGNATION_LENGTH = 23;
const MAX_NONCE = 2n ** 64n - 1n;

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DESIGNATION_LENGTH && PREFIX.every((byte, i) => code[i] === byte);
}

/**
 * Applies one authorization of a transaction, to be called in list order; an invalid one is skipped. The authority of a valid
 * signature becomes warm.
 * @returns the gas that comes back for an authority that existed already
 */
export function applyAuthorization(authorization: Authorization, context: ExecutionContext): bigint {
  const { state } = context.evm;
  const authority = findAuthority(authorization, context);
  if (authority === undefined) return 0n;
  state.warm(authority);
  if (state.hasCode(authority) && !isDelegation(state.getCode(authority))) return 0n;
  const account = state.getAccount(authority);
  if ((account?.nonce ?? 0n) !== authorization.nonce) return 0n;
  state.setNonce(authority, authorization.nonce + 1n);
  designate(state, authority, authorization.address);
  return account === undefined ? 0n : context.rules.revision.intrinsic.existingAuthorityRefund;
}

/** The zero address ends a delegation. */
function designate(state: WorldState, authority: Uint8Array, address: Uint8Array): void {
  if (address.every((byte) => byte === 0)) {
    state.setCode(authority, EMPTY_CODE_HASH, EMPTY_BYTES);
    return;
  }
  const code = concatBytes(PREFIX, address);
  state.setCode(authority, keccak256(code), code);
}

function findAuthority(
  authorization: Authorization,
  { rules, recoverPublicKey }: ExecutionContext,
): Uint8Array | undefined {
  if (authorization.chainId !== 0n && authorization.chainId !== rules.chainId) return undefined;
  if (authorization.nonce >= MAX_NONCE || !isLowS(authorization.signature.s)) return undefined;
  try {
    return recoverAuthority(authorization, recoverPublicKey);
  } catch {
    return undefined;
  }
}
