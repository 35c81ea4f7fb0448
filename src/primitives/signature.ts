import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bigIntToFixedBytes, concatBytes } from './bytes.ts';
import { keccak256 } from './keccak.ts';

const ORDER: bigint = secp256k1.Point.Fn.ORDER;

/** An ECDSA signature over secp256k1; `yParity` is 0 or 1. */
export type Signature = { readonly r: bigint; readonly s: bigint; readonly yParity: number };

/** EIP-2: from Homestead on, a signature's `s` is at most half the order. */
export function isLowS(s: bigint): boolean {
  return s <= ORDER >> 1n;
}

/**
 * Finds the key that signed `hash` (32 bytes); `signature` is r and s, 32 bytes each, s high or low.
 * @returns its x and y, 32 bytes each; undefined when r or s is out of range or no key fits
 */
export type RecoverPublicKey = (
  hash: Uint8Array,
  signature: Uint8Array,
  yParity: 0 | 1,
) => Uint8Array | undefined;

/** In JavaScript alone: 1.4 ms. */
function recoverPurely(...[hash, signature, yParity]: Parameters<RecoverPublicKey>): Uint8Array | undefined {
  try {
    const bytes = concatBytes(Uint8Array.of(yParity), signature);
    const compressed = secp256k1.recoverPublicKey(bytes, hash, { prehash: false });
    return secp256k1.Point.fromBytes(compressed).toBytes(false).subarray(1);
  } catch {
    return undefined;
  }
}

/**
 * The address whose key signed `hash` (32 bytes).
 * @param recoverPublicKey what finds the key; a host may have something faster than JavaScript
 * @throws RangeError when no public key fits the signature.
 */
export function recoverAddress(
  hash: Uint8Array,
  { r, s, yParity }: Signature,
  recoverPublicKey: RecoverPublicKey = recoverPurely,
): Uint8Array {
  if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER || (yParity !== 0 && yParity !== 1)) {
    throw new RangeError('invalid transaction v, r, s values');
  }
  const bytes = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
  const publicKey = recoverPublicKey(hash, bytes, yParity);
  if (publicKey === undefined) throw new RangeError('invalid transaction v, r, s values');
  return keccak256(publicKey).subarray(12);
}

/** Deterministic (RFC 6979) low-s signature of a 32-byte hash. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' });
  const signature = secp256k1.Signature.fromBytes(bytes, 'recovered');
  return { r: signature.r, s: signature.s, yParity: signature.recovery as number };
}

/** The address of a 32-byte private key. */
export function privateKeyToAddress(privateKey: Uint8Array): Uint8Array {
  return keccak256(secp256k1.getPublicKey(privateKey, false).subarray(1)).subarray(12);
}
