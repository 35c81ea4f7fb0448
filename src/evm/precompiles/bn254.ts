import { type Cryptography, PAIRS_AT_ONCE } from './cryptography.ts';
import { encodeBoolean, type Precompile, readPadded } from './precompile.ts';
import { finishSteps, type Steps } from './steps.ts';

const PAIR_BYTES = 192;

/** 0x06 (EIP-196). */
export function createBn254Add(cryptography: Cryptography, gas: number): Precompile {
  return {
    name: 'bn254Add',
    gas: () => gas,
    run: (input) => cryptography.bn254.add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
  };
}

/** 0x07 (EIP-196). */
export function createBn254Multiply(cryptography: Cryptography, gas: number): Precompile {
  return {
    name: 'bn254Multiply',
    gas: () => gas,
    run: (input) => cryptography.bn254.multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
  };
}

/** 0x08 (EIP-197). */
export function createBn254Pairing(
  cryptography: Cryptography,
  gas: { readonly base: number; readonly perPair: number },
): Precompile {
  function* check(input: Uint8Array, batch: number): Steps<Uint8Array | undefined> {
    if (input.length % PAIR_BYTES !== 0) return undefined;
    const isOne = yield* cryptography.bn254.checkPairing(input, batch);
    return isOne === undefined ? undefined : encodeBoolean(isOne);
  }
  return {
    name: 'bn254Pairing',
    gas: (input) => gas.base + gas.perPair * Math.floor(input.length / PAIR_BYTES),
    run: (input) => finishSteps(check(input, PAIRS_AT_ONCE.whole)),
    steps: (input) => check(input, PAIRS_AT_ONCE.piece),
  };
}
