/** EIP-7702: accounts that run another account's code. */
import { type Authorization, recoverAuthority } from '../../chain/transaction.ts';
import type { WorldState } from '../../evm/world-state.ts';
import { ZERO_ADDRESS } from '../../primitives/address.ts';
import { bytesEqual, concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/keccak.ts';
import { isLowS } from '../../primitives/signature.ts';
import type { ExecutionContext } from './running-transaction.ts';

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DESIGNATION_LENGTH = 23;
const MAX_NONCE = 2n ** 64n - 1n;

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DESIGNATION_LENGTH && PREFIX.every((byte, i) => code[i] === byte);
}

/** The account whose code an account runs; undefined where it has none, or code of its own. */
export function findDelegate(state: WorldState, address: Uint8Array): Uint8Array | undefined {
  if (state.getCodeSize(address) !== DESIGNATION_LENGTH) return undefined;
  const code = state.getCode(address);
  return isDelegation(code) ? code.slice(PREFIX.length) : undefined;
}

/** The account that signed an authorization. */
export type Authority = {
  readonly address: Uint8Array;
  /** It runs another account's code already. */
  readonly isDelegated: boolean;
  /** It may run another account's code, and the authorization is for its nonce. */
  readonly isApplicable: boolean;
};

/**
 * Checks one authorization of a transaction, in list order after those before it were applied. Its authority becomes warm, and part
 * of the block's access list, be it applicable or not.
 * @returns undefined where chain, nonce or signature are invalid
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

/** Raises the authority's nonce and designates whose code it runs; the zero address ends a delegation. */
export function designate(state: WorldState, authority: Uint8Array, authorization: Authorization): void {
  state.setNonce(authority, authorization.nonce + 1n);
  if (endsDelegation(authorization)) {
    state.setCode(authority, EMPTY_CODE_HASH, EMPTY_BYTES);
    return;
  }
  const code = concatBytes(PREFIX, authorization.address);
  state.setCode(authority, keccak256(code), code);
}

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
