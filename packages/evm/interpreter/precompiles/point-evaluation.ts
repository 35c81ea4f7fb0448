import { bytesEqual, bytesToBigInt } from '../../../ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../ethereum/primitives/hex.ts';
import { findCompressedProblem } from './compressed-point.ts';
import type { Cryptography } from './cryptography.ts';
import type { Precompile } from './precompile.ts';
import { finishSteps, type Steps } from './steps.ts';

const INPUT_BYTES = 192;
const VERSIONED_HASH_VERSION_KZG = 0x01;
/** Number of field elements in a blob, and the order of their field, one word each. */
const OUTPUT: Uint8Array = hexToBytes(
  '0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
);

/** Order of the scalar field. */
const SCALAR_ORDER: bigint = bytesToBigInt(OUTPUT.subarray(32));

/** 0x0a (EIP-4844): the input is versioned hash, z and y of 32 bytes each, commitment and proof of 48. */
export function createPointEvaluation(cryptography: Cryptography): Precompile {
  /** Whether the first word is the versioned hash of the commitment. */
  function hasVersionedHash(input: Uint8Array): boolean {
    const versionedHash = new Uint8Array(cryptography.sha256(input.subarray(96, 144)));
    versionedHash[0] = VERSIONED_HASH_VERSION_KZG;
    return bytesEqual(versionedHash, input.subarray(0, 32));
  }
  function* steps(input: Uint8Array): Steps<Uint8Array | undefined> {
    if (input.length !== INPUT_BYTES) return undefined;
    if (!hasVersionedHash(input)) return undefined;
    const [z, y, proof] = [input.subarray(32, 64), input.subarray(64, 96), input.subarray(144)];
    const isValid = yield* cryptography.verifyKzgProof(input.subarray(96, 144), z, y, proof);
    return isValid ? OUTPUT.slice() : undefined;
  }
  return {
    name: 'pointEvaluation',
    gas: () => 50_000,
    run: (input) => finishSteps(steps(input)),
    steps,
    *explain(input): Steps<string> {
      if (input.length !== INPUT_BYTES) return 'invalid input length';
      if (!hasVersionedHash(input)) return 'mismatched versioned hash';
      const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)];
      const isCanonical = bytesToBigInt(y) < SCALAR_ORDER && bytesToBigInt(z) < SCALAR_ORDER;
      const problem = isCanonical
        ? ((yield* findCompressedProblem(input.subarray(96, 144), cryptography)) ??
          (yield* findCompressedProblem(input.subarray(144), cryptography)) ??
          "can't verify opening proof")
        : 'scalar is not canonical when interpreted as a big integer in big-endian';
      return `error verifying kzg proof: ${problem}`;
    },
  };
}
