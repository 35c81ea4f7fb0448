import { EMPTY_BYTES } from '../../../ethereum/primitives/bytes.ts';
import type { Cryptography } from './cryptography.ts';
import { encodeBoolean, type Precompile } from './precompile.ts';

/** Input: hash, r, s, x, y, one word each. */
const INPUT_BYTES = 160;

/** 0x100 (EIP-7951): returns 1 for a valid signature. For an invalid signature or a malformed input, the output is empty, but the call succeeds. */
export function createP256Verify(cryptography: Cryptography): Precompile {
  return {
    name: 'p256Verify',
    gas: () => 6900,
    run: (input) => {
      if (input.length !== INPUT_BYTES) return EMPTY_BYTES;
      const isValid = cryptography.verifyP256(
        input.subarray(0, 32),
        input.subarray(32, 96),
        input.subarray(96),
      );
      return isValid ? encodeBoolean(true) : EMPTY_BYTES;
    },
  };
}
