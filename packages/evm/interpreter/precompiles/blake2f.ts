import type { Blake2bBlock, Cryptography } from './cryptography.ts';
import type { Precompile } from './precompile.ts';
import type { Steps } from './steps.ts';

/** Input: rounds (4 bytes, big-endian), state (64), message (128), offset (16), final flag (1). */
const INPUT_BYTES = 213;

function readRounds(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, INPUT_BYTES).getUint32(0);
}

/** @returns undefined when the input has another length or an invalid final flag */
function parseBlock(input: Uint8Array): Blake2bBlock | undefined {
  const flag = input[INPUT_BYTES - 1] as number;
  if (input.length !== INPUT_BYTES || flag > 1) return undefined;
  return {
    rounds: readRounds(input),
    state: input.subarray(4, 68),
    message: input.subarray(68, 196),
    offset: input.subarray(196, 212),
    isFinal: flag === 1,
  };
}

/** 0x09: the compression function of BLAKE2b (EIP-152), one gas per round. */
export function createBlake2f(cryptography: Cryptography): Precompile {
  return {
    name: 'blake2f',
    gas: (input) => (input.length === INPUT_BYTES ? readRounds(input) : 0),
    run: (input) => {
      const block = parseBlock(input);
      return block && cryptography.compressBlake2b(block);
    },
    explain: (input) => (input.length === INPUT_BYTES ? 'invalid final flag' : 'invalid input length'),
    *steps(input): Steps<Uint8Array | undefined> {
      const block = parseBlock(input);
      return block && (yield* cryptography.compressBlake2bSteps(block));
    },
  };
}
