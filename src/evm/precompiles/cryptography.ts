import type { RecoverPublicKey } from '../../primitives/signature.ts';
import type { Steps } from './steps.ts';

/**
 * Cryptography that precompiles ask of the EVM's host. Nothing here throws: bad input is an answer. What depends on the length
 * of its input, or takes more than a millisecond, comes as steps; any number of them may be open at a time.
 */
export interface Cryptography {
  /** 32 bytes. */
  keccak256(data: Uint8Array): Uint8Array;
  /** 32 bytes. */
  sha256(data: Uint8Array): Uint8Array;
  /** 20 bytes. */
  ripemd160(data: Uint8Array): Uint8Array;
  /** The same hashes of long data. */
  sha256Steps(data: Uint8Array): Steps<Uint8Array>;
  ripemd160Steps(data: Uint8Array): Steps<Uint8Array>;
  /** secp256k1. */
  readonly recoverPublicKey: RecoverPublicKey;
  /** ECDSA over P-256: `hash` of 32 bytes, `signature` r and s, `publicKey` x and y, 32 bytes each. */
  verifyP256(hash: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
  /** RFC 7693, section 3.2, with any number of rounds. @returns the next state */
  compressBlake2b(block: Blake2bBlock): Uint8Array;
  compressBlake2bSteps(block: Blake2bBlock): Steps<Uint8Array>;
  /** EIP-4844: whether the polynomial of `commitment` is `y` at `z`. False as well for what is not a point or scalar. */
  verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): Steps<boolean>;
  readonly bn254: Bn254;
  readonly bls12381: Bls12381;
}

/** Words are of 8 bytes, little-endian. */
export type Blake2bBlock = {
  /** 0 to 2^32 - 1. */
  readonly rounds: number;
  /** 8 words. */
  readonly state: Uint8Array;
  /** 16 words. */
  readonly message: Uint8Array;
  /** Bytes hashed so far: the low word, the high word. */
  readonly offset: Uint8Array;
  readonly isFinal: boolean;
};

/**
 * Pairs that share the squarings of one Miller loop: alone a pair takes a third more, but no piece is longer than that (0.8 to
 * 1.1 ms).
 */
export const PAIRS_AT_ONCE = { whole: 32, piece: 1 } as const;

/**
 * alt_bn128 (EIP-196, EIP-197). Coordinates are 32 bytes, big-endian; in those of G2 the imaginary part comes first;
 * the point at infinity is all zeros. Undefined is the answer to a coordinate that is not below the field's order and
 * to a point that is not on its curve or, in a pairing, not in its group.
 */
export interface Bn254 {
  add(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** `scalar`: any 32 bytes. */
  multiply(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** `pairs` of a G1 and a G2 point, 192 bytes each. @param batch pairs that are computed at once */
  checkPairing(pairs: Uint8Array, batch: number): Steps<boolean | undefined>;
}

/**
 * BLS12-381 (EIP-2537). Coordinates are 48 bytes, big-endian; in those of G2 the real part comes first; the point
 * at infinity is all zeros. Undefined is the answer to a coordinate that is not below the field's order, to a point that
 * is not on its curve and, except in additions, to one that is not in its group.
 */
export interface Bls12381 {
  addG1(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  addG2(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** Sum of `points`, each times its scalar of any 32 bytes; as many of the one as of the other, at least one. */
  multiplyG1(points: Uint8Array, scalars: Uint8Array): Steps<Uint8Array | undefined>;
  multiplyG2(points: Uint8Array, scalars: Uint8Array): Steps<Uint8Array | undefined>;
  /** `g1` and `g2`: as many points of the one as of the other. @param batch pairs that are computed at once */
  checkPairing(g1: Uint8Array, g2: Uint8Array, batch: number): Steps<boolean | undefined>;
  /** RFC 9380's map of a field element, without hashing, cofactor cleared. */
  mapToG1(element: Uint8Array): Uint8Array | undefined;
  mapToG2(element: Uint8Array): Uint8Array | undefined;
}
