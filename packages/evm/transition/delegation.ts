/** EIP-7702: delegation of an account to the code of another account. */
import { type Authorization, recoverAuthority } from '../../ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../ethereum/primitives/address.ts';
import { bytesEqual, concatBytes, EMPTY_BYTES } from '../../ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../ethereum/primitives/keccak.ts';
import { isLowS } from '../../ethereum/primitives/signature.ts';
import type { WorldState } from '../interpreter/world-state.ts';
import type { ExecutionContext } from './running-transaction.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DESIGNATION_LENGTH = 23;
const MAX_NONCE = 2n ** 64n - 1n;

/** Whether a code is a delegation: 0xef0100 and an address. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === DESIGNATION_LENGTH && PREFIX.every((byte, i) => code[i] === byte);
}

/** Returns the delegate of an account; undefined when the account has no code or its own code. */
export function findDelegate(state: WorldState, address: Uint8Array): Uint8Array | undefined {
  if (state.getCodeSize(address) !== DESIGNATION_LENGTH) return undefined;
  const code = state.getCode(address);
  return isDelegation(code) ? code.slice(PREFIX.length) : undefined;
}

/** The account that signed an authorization. */
export type Authority = {
  readonly address: Uint8Array;
  /** Whether the account already has a delegation. */
  readonly isDelegated: boolean;
  /** Whether the account has no code of its own, and its nonce equals the authorization's nonce. */
  readonly isApplicable: boolean;
};

/**
 * Checks one authorization of a transaction; call in list order, after the previous authorizations are applied. The authority becomes
 * warm and enters the block access list even when the authorization is not applicable.
 * @returns undefined when chain id, nonce or signature is invalid
 */
export function checkAuthorization(
  authorization: Authorization,
  context: ExecutionContext,
): Authority | undefined {
  const { state } = context.evm;
  const address = findAuthority(authorization, context);
  if (address === undefined) return undefined;
  state.warm(address);
  context.accessList?.touch(address);
  const isDelegated = findDelegate(state, address) !== undefined;
  const isApplicable =
    (isDelegated || !state.hasCode(address)) && state.getNonce(address) === authorization.nonce;
  return { address, isDelegated, isApplicable };
}

/** Raises the authority's nonce and sets its delegation. The zero address clears the delegation. */
export function designate(state: WorldState, authority: Uint8Array, authorization: Authorization): void {
  state.setNonce(authority, authorization.nonce + 1n);
  if (endsDelegation(authorization)) {
    state.setCode(authority, EMPTY_CODE_HASH, EMPTY_BYTES);
    return;
  }
  const code = concatBytes(PREFIX, authorization.address);
  state.setCode(authority, keccak256(code), code);
}

/** Whether an authorization clears the delegation: its address is zero. */
export function endsDelegation({ address }: Authorization): boolean {
  return bytesEqual(address, ZERO_ADDRESS);
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
