import type { RecoverPublicKey } from '../../../ethereum/primitives/signature.ts';
import type { Steps } from './steps.ts';

/**
 * Cryptography that the host provides to precompiles. Invalid input gives a regular result, never an error. Work is available in steps when
 * it takes more than 1 ms or depends on the input length. Any number of step sequences may be in progress at a time.
 */
export interface Cryptography {
  /** Keccak-256 digest, 32 bytes. */
  keccak256(data: Uint8Array): Uint8Array;
  /** SHA-256 digest, 32 bytes. */
  sha256(data: Uint8Array): Uint8Array;
  /** RIPEMD-160 digest, 20 bytes. */
  ripemd160(data: Uint8Array): Uint8Array;
  /** Hashes of long data, in steps. */
  sha256Steps(data: Uint8Array): Steps<Uint8Array>;
  ripemd160Steps(data: Uint8Array): Steps<Uint8Array>;
  /** Recovers a secp256k1 public key. */
  readonly recoverPublicKey: RecoverPublicKey;
  /** Verifies ECDSA over P-256: `hash` of 32 bytes, `signature` r and s, `publicKey` x and y, 32 bytes each. */
  verifyP256(hash: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
  /** BLAKE2b compression (RFC 7693, section 3.2) with any number of rounds. @returns the next state */
  compressBlake2b(block: Blake2bBlock): Uint8Array;
  compressBlake2bSteps(block: Blake2bBlock): Steps<Uint8Array>;
  /** EIP-4844: whether the polynomial of `commitment` has the value `y` at `z`. Returns false for invalid points and scalars, too. */
  verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): Steps<boolean>;
  readonly bn254: Bn254;
  readonly bls12381: Bls12381;
}

/** A block to compress. Words are 8 bytes, little-endian. */
export type Blake2bBlock = {
  /** 0 to 2^32 - 1. */
  readonly rounds: number;
  /** 8 words. */
  readonly state: Uint8Array;
  /** 16 words. */
  readonly message: Uint8Array;
  /** Number of bytes hashed so far: low word, high word. */
  readonly offset: Uint8Array;
  readonly isFinal: boolean;
};

/** Pairs per Miller loop. In one loop, pairs share the squarings. A loop per pair takes a third longer, but its steps take only 0.8 to 1.1 ms. */
export const PAIRS_AT_ONCE = { whole: 32, piece: 1 } as const;

/**
 * alt_bn128 (EIP-196, EIP-197). Coordinates are 32 bytes, big-endian. In G2 the imaginary part comes first. The point at infinity is all zeros. The
 * result is undefined when a coordinate is not below the field order, or a point is not on its curve. In a pairing, the result is also undefined when
 * a point is not in its group.
 */
export interface Bn254 {
  add(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** @param scalar any 32 bytes */
  multiply(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /**
   * @param pairs pairs of a G1 and a G2 point, 192 bytes each
   * @param batch number of pairs per Miller loop
   */
  checkPairing(pairs: Uint8Array, batch: number): Steps<boolean | undefined>;
}

/**
 * BLS12-381 (EIP-2537). Coordinates are 48 bytes, big-endian. In G2 the real part comes first. The point at infinity is all zeros. The result is
 * undefined when a coordinate is not below the field order, or a point is not on its curve. Except in additions, the result is also undefined when a
 * point is not in its group.
 */
export interface Bls12381 {
  addG1(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  addG2(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** Sums the products of `points` and `scalars` (any 32 bytes each); both have the same count, at least one. */
  multiplyG1(points: Uint8Array, scalars: Uint8Array): Steps<Uint8Array | undefined>;
  multiplyG2(points: Uint8Array, scalars: Uint8Array): Steps<Uint8Array | undefined>;
  /**
   * @param g1, g2 the same number of points each
   * @param batch number of pairs per Miller loop
   */
  checkPairing(g1: Uint8Array, g2: Uint8Array, batch: number): Steps<boolean | undefined>;
  /** Maps a field element to the curve (RFC 9380), without hashing, with the cofactor cleared. */
  mapToG1(element: Uint8Array): Uint8Array | undefined;
  mapToG2(element: Uint8Array): Uint8Array | undefined;
}
