import type { Cryptography } from '../../evm/precompiles/cryptography.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { Blake2bCompression } from './blake2b.ts';
import { createBls12381 } from './bls12-381.ts';
import { createBls12381Curve } from './bls12-381-curve.ts';
import { createBn254 } from './bn254.ts';
import { hashSha256, ripemd160, ripemd160Steps, sha256Steps } from './hashes.ts';
import { createKzgVerifier } from './kzg.ts';
import { createP256Verifier } from './p256.ts';
import { createRecovery } from './secp256k1.ts';

/** Defers creation to the first call and caches the value. */
function createOnce<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: create() };
    return made.value;
  };
}

/**
 * Creates the cryptography of one thread from the fastest available libraries, each loaded at first use (5 to 20 ms). Threads must not
 * share it.
 */
export function createCryptography(): Cryptography {
  const recovery = createOnce(createRecovery);
  const p256 = createOnce(createP256Verifier);
  const blake2b = createOnce(() => new Blake2bCompression());
  const bn254 = createOnce(createBn254);
  const curve = createOnce(createBls12381Curve);
  const bls12381 = createOnce(() => createBls12381(curve()));
  const kzg = createOnce(() => createKzgVerifier(curve()));
  return {
    keccak256,
    sha256: hashSha256,
    ripemd160,
    sha256Steps,
    ripemd160Steps,
    recoverPublicKey: (hash, signature, yParity) => recovery()(hash, signature, yParity),
    verifyP256: (hash, signature, publicKey) => p256()(hash, signature, publicKey),
    compressBlake2b: (block) => blake2b().compress(block),
    compressBlake2bSteps: (block) => blake2b().compressSteps(block),
    verifyKzgProof: (commitment, z, y, proof) => kzg()(commitment, z, y, proof),
    get bn254() {
      return bn254();
    },
    get bls12381() {
      return bls12381();
    },
  };
}

let ofThread: Cryptography | undefined;

/** Returns this thread's cryptography. */
export function getCryptography(): Cryptography {
  ofThread ??= createCryptography();
  return ofThread;
}
