import { bigIntToFixedBytes, concatBytes } from './bytes.ts';
import { keccak256 } from './keccak.ts';

/** Order of the group of secp256k1 (SEC 2, 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** ECDSA signature over secp256k1; `yParity` is 0 or 1. */
export type Signature = { readonly r: bigint; readonly s: bigint; readonly yParity: number };

/** Whether `s` is at most half the order, as EIP-2 requires from Homestead on. */
export function isLowS(s: bigint): boolean {
  return s <= ORDER >> 1n;
}

/**
 * Recovers the public key that signed `hash` (32 bytes). `signature` is r and s, 32 bytes each; s may be high or low.
 * @returns x and y, 32 bytes each; undefined if r or s is out of range, or if no key fits the signature
 */
export type RecoverPublicKey = (
  hash: Uint8Array,
  signature: Uint8Array,
  yParity: 0 | 1,
) => Uint8Array | undefined;

/**
 * Recovers the address that signed `hash` (32 bytes).
 * @throws RangeError if no public key fits the signature
 */
export function recoverAddress(
  hash: Uint8Array,
  { r, s, yParity }: Signature,
  recoverPublicKey: RecoverPublicKey,
): Uint8Array {
  if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER || (yParity !== 0 && yParity !== 1)) {
    throw new RangeError('invalid transaction v, r, s values');
  }
  const bytes = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
  const publicKey = recoverPublicKey(hash, bytes, yParity);
  if (publicKey === undefined) throw new RangeError('invalid transaction v, r, s values');
  return keccak256(publicKey).subarray(12);
}
