import { keccak256 } from '../../ethereum/primitives/keccak.ts';
import type { RecoverPublicKey } from '../../ethereum/primitives/signature.ts';
import type { Cryptography } from '../interpreter/precompiles/cryptography.ts';
import { Blake2bCompression } from './blake2b.ts';
import { createBls12381 } from './bls12-381.ts';
import { createBls12381Curve } from './bls12-381-curve.ts';
import { createBn254 } from './bn254.ts';
import type { HashFunctions } from './hashes.ts';
import { createKzgVerifier } from './kzg.ts';
import type { MclFactory } from './mcl-module.ts';

/** Functions that differ by host: a browser has neither OpenSSL nor native modules. */
export type CryptographyHost = {
  readonly hashes: HashFunctions;
  /** `createRecovery` and `createP256Verifier` are each called once, at the first recovery and at the first P-256 verification. */
  readonly createRecovery: () => RecoverPublicKey;
  readonly createP256Verifier: () => Cryptography['verifyP256'];
  /** Creates mcl instances for the curves with pairings. */
  readonly mcl: MclFactory;
};

/** Defers creation to the first call and caches the value. */
function createOnce<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: create() };
    return made.value;
  };
}

/** Creates the cryptography of one thread; threads must not share the object. Each library is loaded at first use, which takes 5 to 20 ms. */
export function createCryptography(host: CryptographyHost): Cryptography {
  const recovery = createOnce(host.createRecovery);
  const p256 = createOnce(host.createP256Verifier);
  const blake2b = createOnce(() => new Blake2bCompression());
  const bn254 = createOnce(() => createBn254(host.mcl));
  const curve = createOnce(() => createBls12381Curve(host.mcl));
  const bls12381 = createOnce(() => createBls12381(curve()));
  const kzg = createOnce(() => createKzgVerifier(curve()));
  return {
    keccak256,
    ...host.hashes,
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
