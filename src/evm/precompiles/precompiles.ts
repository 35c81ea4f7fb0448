import { isAtLeast, REVISIONS, type Revision } from '../revision.ts';
import { createBlake2f } from './blake2f.ts';
import { createBls12381 } from './bls12-381.ts';
import { createBn254Add, createBn254Multiply, createBn254Pairing } from './bn254.ts';
import type { Cryptography } from './cryptography.ts';
import { createEcrecover } from './ecrecover.ts';
import { createRipemd160, createSha256, IDENTITY } from './hashes.ts';
import { createModexp } from './modexp.ts';
import { priceByEip198, priceByEip2565, priceByEip7883 } from './modexp-gas.ts';
import { createP256Verify } from './p256.ts';
import { createPointEvaluation } from './point-evaluation.ts';
import type { Precompile } from './precompile.ts';

/** EIP-7823: longest operand of modexp, bytes. */
const MODEXP_LENGTH_LIMIT = 1024;

/** The contracts that the protocol provides, by address as a number. */
export interface Precompiles {
  of(revision: Revision): ReadonlyMap<number, Precompile>;
}

type Changes = readonly (readonly [address: number, precompile: Precompile])[];

/** What each revision added or priced anew. */
function listChanges(cryptography: Cryptography): Partial<Record<Revision, Changes>> {
  return {
    frontier: [
      [0x01, createEcrecover(cryptography)],
      [0x02, createSha256(cryptography)],
      [0x03, createRipemd160(cryptography)],
      [0x04, IDENTITY],
    ],
    byzantium: [
      [0x05, createModexp(priceByEip198)],
      [0x06, createBn254Add(cryptography, 500)],
      [0x07, createBn254Multiply(cryptography, 40_000)],
      [0x08, createBn254Pairing(cryptography, { base: 100_000, perPair: 80_000 })],
    ],
    istanbul: [
      // EIP-1108
      [0x06, createBn254Add(cryptography, 150)],
      [0x07, createBn254Multiply(cryptography, 6000)],
      [0x08, createBn254Pairing(cryptography, { base: 45_000, perPair: 34_000 })],
      [0x09, createBlake2f(cryptography)],
    ],
    berlin: [[0x05, createModexp(priceByEip2565)]],
    cancun: [[0x0a, createPointEvaluation(cryptography)]],
    prague: createBls12381(cryptography).map((precompile, i) => [0x0b + i, precompile] as const),
    osaka: [
      [0x05, createModexp(priceByEip7883, MODEXP_LENGTH_LIMIT)],
      [0x100, createP256Verify(cryptography)],
    ],
  };
}

/** All revisions' precompiles, computing with `cryptography`. */
export function createPrecompiles(cryptography: Cryptography): Precompiles {
  const changes = listChanges(cryptography);
  const byRevision = new Map<Revision, ReadonlyMap<number, Precompile>>();
  const collect = (revision: Revision): ReadonlyMap<number, Precompile> => {
    const past = REVISIONS.filter((earlier) => isAtLeast(revision, earlier));
    return new Map(past.flatMap((earlier) => changes[earlier] ?? []));
  };
  return {
    of: (revision) => {
      let precompiles = byRevision.get(revision);
      if (precompiles === undefined) {
        precompiles = collect(revision);
        byRevision.set(revision, precompiles);
      }
      return precompiles;
    },
  };
}
