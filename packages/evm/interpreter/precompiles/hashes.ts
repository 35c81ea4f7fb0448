import { padLeft } from '../../../ethereum/primitives/bytes.ts';
import type { Cryptography } from './cryptography.ts';
import { type Precompile, priceByWord } from './precompile.ts';
import type { Steps } from './steps.ts';

/** 0x02: SHA-256. */
export function createSha256(cryptography: Cryptography): Precompile {
  return {
    name: 'sha256',
    gas: priceByWord(60, 12),
    run: (input) => cryptography.sha256(input),
    steps: (input) => cryptography.sha256Steps(input),
  };
}

/** 0x03: RIPEMD-160. */
export function createRipemd160(cryptography: Cryptography): Precompile {
  return {
    name: 'ripemd160',
    gas: priceByWord(600, 120),
    run: (input) => padLeft(cryptography.ripemd160(input), 32),
    *steps(input): Steps<Uint8Array> {
      return padLeft(yield* cryptography.ripemd160Steps(input), 32);
    },
  };
}

/** 0x04: identity, a copy of the input. */
export const IDENTITY: Precompile = {
  name: 'identity',
  gas: priceByWord(15, 3),
  run: (input) => new Uint8Array(input),
};
