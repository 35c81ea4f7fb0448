import { EMPTY_BYTES, padLeft } from '../../../ethereum/primitives/bytes.ts';
import type { Cryptography } from './cryptography.ts';
import { type Precompile, readPadded } from './precompile.ts';

/** Decodes the parity of y from a word: 27 is even, 28 is odd. */
function parseParity(word: Uint8Array): 0 | 1 | undefined {
  for (let i = 0; i < 31; i++) if (word[i] !== 0) return undefined;
  if (word[31] === 27) return 0;
  return word[31] === 28 ? 1 : undefined;
}

/** 0x01: returns the address that signed a hash. For an invalid signature, the output is empty and the call does not fail (yellow paper E.1). */
export function createEcrecover(cryptography: Cryptography): Precompile {
  return {
    name: 'ecrecover',
    gas: () => 3000,
    run: (input) => {
      const yParity = parseParity(readPadded(input, 32, 32));
      if (yParity === undefined) return EMPTY_BYTES;
      const hash = readPadded(input, 0, 32);
      const publicKey = cryptography.recoverPublicKey(hash, readPadded(input, 64, 64), yParity);
      if (publicKey === undefined) return EMPTY_BYTES;
      return padLeft(cryptography.keccak256(publicKey).subarray(12), 32);
    },
  };
}
