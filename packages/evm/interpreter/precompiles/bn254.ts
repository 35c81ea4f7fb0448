import { type Cryptography, PAIRS_AT_ONCE } from './cryptography.ts';
import { BN254, INVALID_ENCODING, isOnCurve, isOnTwist, readCoordinates } from './curve-points.ts';
import { encodeBoolean, type Precompile, readPadded } from './precompile.ts';
import { finishSteps, type Steps } from './steps.ts';

const PAIR_BYTES = 192;
const POINT_BYTES = 64;
const NOT_ON_CURVE = 'point is not on curve';

/** Checks a point of G1. @returns geth's error text, or undefined */
function findPointProblem(point: Uint8Array): string | undefined {
  const coordinates = readCoordinates(point, 2, BN254);
  if (coordinates === undefined) return INVALID_ENCODING;
  return isOnCurve(coordinates, BN254) ? undefined : NOT_ON_CURVE;
}

/** Checks a point of the twist, without the group check. @returns geth's error text, or undefined */
function findTwistProblem(point: Uint8Array): string | undefined {
  const coordinates = readCoordinates(point, 4, BN254);
  if (coordinates === undefined) return INVALID_ENCODING;
  const [xImaginary, xReal, yImaginary, yReal] = coordinates as [bigint, bigint, bigint, bigint];
  return isOnTwist([xReal, xImaginary], [yReal, yImaginary], BN254) ? undefined : NOT_ON_CURVE;
}

/** 0x06: addition (EIP-196). */
export function createBn254Add(cryptography: Cryptography, gas: number): Precompile {
  return {
    name: 'bn254Add',
    gas: () => gas,
    run: (input) => cryptography.bn254.add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
    explain: (input) =>
      findPointProblem(readPadded(input, 0, POINT_BYTES)) ??
      findPointProblem(readPadded(input, POINT_BYTES, POINT_BYTES)) ??
      NOT_ON_CURVE,
  };
}

/** 0x07: scalar multiplication (EIP-196). */
export function createBn254Multiply(cryptography: Cryptography, gas: number): Precompile {
  return {
    name: 'bn254Multiply',
    gas: () => gas,
    run: (input) => cryptography.bn254.multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
    explain: (input) => findPointProblem(readPadded(input, 0, POINT_BYTES)) ?? NOT_ON_CURVE,
  };
}

/** 0x08: pairing check (EIP-197). */
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
    *explain(input): Steps<string> {
      if (input.length % PAIR_BYTES !== 0) return 'bad elliptic curve pairing size';
      for (let at = 0; at < input.length; at += PAIR_BYTES) {
        const pair = input.subarray(at, at + PAIR_BYTES);
        const problem =
          findPointProblem(pair.subarray(0, POINT_BYTES)) ?? findTwistProblem(pair.subarray(POINT_BYTES));
        if (problem !== undefined) return problem;
        if ((yield* cryptography.bn254.checkPairing(pair, PAIRS_AT_ONCE.piece)) === undefined) break;
      }
      return 'point is not in correct subgroup';
    },
  };
}
