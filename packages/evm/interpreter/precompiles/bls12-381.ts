import { G1_PRODUCT, G2_PRODUCT, priceSum, type SumPrice } from './bls12-381-gas.ts';
import { type Cryptography, PAIRS_AT_ONCE } from './cryptography.ts';
import { BLS12_381, INVALID_ENCODING, isOnCurve, isOnTwist, readCoordinates } from './curve-points.ts';
import { encodeBoolean, type Precompile } from './precompile.ts';
import { finishSteps, type Steps } from './steps.ts';

/** EIP-2537 encodes each coordinate as 16 zero bytes, followed by 48 bytes of value. */
const COORDINATE_BYTES = 48;
const PADDING_BYTES = 16;
const PADDED_BYTES = PADDING_BYTES + COORDINATE_BYTES;
const G1_BYTES = 2 * PADDED_BYTES;
const G2_BYTES = 4 * PADDED_BYTES;
const SCALAR_BYTES = 32;

/** Input bytes split per step; a step takes 0.2 ms. */
const PIECE_BYTES = 512 * PADDED_BYTES;

/** Removes the padding. @returns undefined when the padding is not zero */
function unpad(input: Uint8Array): Uint8Array | undefined {
  return finishSteps(unpadSteps(input));
}

function* unpadSteps(input: Uint8Array): Steps<Uint8Array | undefined> {
  const coordinates = new Uint8Array((input.length / PADDED_BYTES) * COORDINATE_BYTES);
  for (let from = 0, to = 0; from < input.length; from += PADDED_BYTES, to += COORDINATE_BYTES) {
    const start = from + PADDING_BYTES;
    for (let i = from; i < start; i++) if (input[i] !== 0) return undefined;
    coordinates.set(input.subarray(start, from + PADDED_BYTES), to);
    if (from > 0 && from % PIECE_BYTES === 0) yield;
  }
  return coordinates;
}

function pad(coordinates: Uint8Array | undefined): Uint8Array | undefined {
  if (coordinates === undefined) return undefined;
  const output = new Uint8Array((coordinates.length / COORDINATE_BYTES) * PADDED_BYTES);
  for (
    let from = 0, to = PADDING_BYTES;
    from < coordinates.length;
    from += COORDINATE_BYTES, to += PADDED_BYTES
  ) {
    output.set(coordinates.subarray(from, from + COORDINATE_BYTES), to);
  }
  return output;
}

/** Splits records of two parts into all first parts and all second parts. */
function* splitRecords(
  input: Uint8Array,
  firstBytes: number,
  secondBytes: number,
): Steps<readonly [Uint8Array, Uint8Array]> {
  const recordBytes = firstBytes + secondBytes;
  const count = input.length / recordBytes;
  const [first, second] = [new Uint8Array(count * firstBytes), new Uint8Array(count * secondBytes)];
  const piece = Math.floor(PIECE_BYTES / recordBytes);
  for (let i = 0, at = 0; i < count; i++, at += recordBytes) {
    first.set(input.subarray(at, at + firstBytes), i * firstBytes);
    second.set(input.subarray(at + firstBytes, at + recordBytes), i * secondBytes);
    if (i % piece === piece - 1) yield;
  }
  return [first, second];
}

const INVALID_LENGTH = 'invalid input length';
const ONE: Uint8Array = Uint8Array.from({ length: SCALAR_BYTES }, (_, i) => (i === SCALAR_BYTES - 1 ? 1 : 0));

/** Decodes field elements of 64 bytes each. @returns the values of the elements, or geth's error text */
function readElements(input: Uint8Array): bigint[] | string {
  const elements: bigint[] = [];
  for (let at = 0; at < input.length; at += PADDED_BYTES) {
    const padded = input.subarray(at, at + PADDED_BYTES);
    if (padded.subarray(0, PADDING_BYTES).some((byte) => byte !== 0))
      return 'invalid field element top bytes';
    const element = readCoordinates(padded.subarray(PADDING_BYTES), 1, BLS12_381);
    if (element === undefined) return INVALID_ENCODING;
    elements.push(...element);
  }
  return elements;
}

/**
 * Checks encoding and curve of a point, but not its group. The length of `point` shows whether it is a point of G1 or of G2.
 * @returns geth's error text, or undefined
 */
function findPointProblem(point: Uint8Array): string | undefined {
  const elements = readElements(point);
  if (typeof elements === 'string') return elements;
  const [x0, x1, y0, y1] = elements as [bigint, bigint, bigint, bigint];
  const isOn =
    point.length === G1_BYTES ? isOnCurve([x0, x1], BLS12_381) : isOnTwist([x0, x1], [y0, y1], BLS12_381);
  return isOn ? undefined : 'invalid point: not on curve';
}

/** Checks a point including its group. @returns geth's error text, or undefined */
function* findGroupProblem(cryptography: Cryptography, point: Uint8Array): Steps<string | undefined> {
  const problem = findPointProblem(point);
  if (problem !== undefined) return problem;
  const coordinates = unpad(point) as Uint8Array;
  const { bls12381 } = cryptography;
  const isG1 = point.length === G1_BYTES;
  const product = yield* isG1 ? bls12381.multiplyG1(coordinates, ONE) : bls12381.multiplyG2(coordinates, ONE);
  return product === undefined ? `${isG1 ? 'g1' : 'g2'} point is not on correct subgroup` : undefined;
}

/** Returns geth's error text for the first invalid record; each record has `recordBytes` bytes. */
function* explainRecords(
  input: Uint8Array,
  recordBytes: number,
  find: (record: Uint8Array) => Steps<string | undefined>,
): Steps<string> {
  if (input.length > 0 && input.length % recordBytes === 0) {
    for (let at = 0; at < input.length; at += recordBytes) {
      const problem = yield* find(input.subarray(at, at + recordBytes));
      if (problem !== undefined) return problem;
      yield;
    }
  }
  return INVALID_LENGTH;
}

function createAddition(
  name: string,
  gas: number,
  pointBytes: number,
  add: (a: Uint8Array, b: Uint8Array) => Uint8Array | undefined,
): Precompile {
  return {
    name,
    gas: () => gas,
    run: (input) => {
      const points = input.length === 2 * pointBytes ? unpad(input) : undefined;
      if (points === undefined) return undefined;
      const middle = points.length / 2;
      return pad(add(points.subarray(0, middle), points.subarray(middle)));
    },
    explain: (input) =>
      input.length !== 2 * pointBytes
        ? INVALID_LENGTH
        : (findPointProblem(input.subarray(0, pointBytes)) ??
          findPointProblem(input.subarray(pointBytes)) ??
          INVALID_LENGTH),
  };
}

function createSum(
  cryptography: Cryptography,
  name: string,
  price: SumPrice,
  pointBytes: number,
  multiply: (points: Uint8Array, scalars: Uint8Array) => Steps<Uint8Array | undefined>,
): Precompile {
  const recordBytes = pointBytes + SCALAR_BYTES;
  function* steps(input: Uint8Array): Steps<Uint8Array | undefined> {
    if (input.length === 0 || input.length % recordBytes !== 0) return undefined;
    const records = yield* splitRecords(input, pointBytes, SCALAR_BYTES);
    const points = yield* unpadSteps(records[0]);
    return points === undefined ? undefined : pad(yield* multiply(points, records[1]));
  }
  return {
    name,
    gas: (input) => priceSum(Math.floor(input.length / recordBytes), price),
    run: (input) => finishSteps(steps(input)),
    steps,
    explain: (input) =>
      explainRecords(input, recordBytes, (record) =>
        findGroupProblem(cryptography, record.subarray(0, pointBytes)),
      ),
  };
}

function createMap(
  name: string,
  gas: number,
  elementBytes: number,
  map: (element: Uint8Array) => Uint8Array | undefined,
): Precompile {
  return {
    name,
    gas: () => gas,
    run: (input) => {
      const element = input.length === elementBytes ? unpad(input) : undefined;
      return element === undefined ? undefined : pad(map(element));
    },
    explain: (input) => {
      const elements = input.length === elementBytes ? readElements(input) : INVALID_LENGTH;
      return typeof elements === 'string' ? elements : INVALID_LENGTH;
    },
  };
}

function createPairing(cryptography: Cryptography): Precompile {
  const pairBytes = G1_BYTES + G2_BYTES;
  function* check(input: Uint8Array, batch: number): Steps<Uint8Array | undefined> {
    if (input.length === 0 || input.length % pairBytes !== 0) return undefined;
    const records = yield* splitRecords(input, G1_BYTES, G2_BYTES);
    const g1 = yield* unpadSteps(records[0]);
    const g2 = yield* unpadSteps(records[1]);
    if (g1 === undefined || g2 === undefined) return undefined;
    const isOne = yield* cryptography.bls12381.checkPairing(g1, g2, batch);
    return isOne === undefined ? undefined : encodeBoolean(isOne);
  }
  return {
    name: 'bls12381Pairing',
    gas: (input) => 37_700 + 32_600 * Math.floor(input.length / pairBytes),
    run: (input) => finishSteps(check(input, PAIRS_AT_ONCE.whole)),
    steps: (input) => check(input, PAIRS_AT_ONCE.piece),
    explain: (input) =>
      explainRecords(input, pairBytes, function* (pair) {
        const [g1, g2] = [pair.subarray(0, G1_BYTES), pair.subarray(G1_BYTES)];
        // As in geth, both points are decoded before their groups are checked.
        return (
          findPointProblem(g1) ??
          findPointProblem(g2) ??
          (yield* findGroupProblem(cryptography, g1)) ??
          (yield* findGroupProblem(cryptography, g2))
        );
      }),
  };
}

/** Precompiles 0x0b to 0x11 in order (EIP-2537). */
export function createBls12381Precompiles(cryptography: Cryptography): readonly Precompile[] {
  return [
    createAddition('bls12381G1Add', 375, G1_BYTES, (a, b) => cryptography.bls12381.addG1(a, b)),
    createSum(cryptography, 'bls12381G1Sum', G1_PRODUCT, G1_BYTES, (points, scalars) =>
      cryptography.bls12381.multiplyG1(points, scalars),
    ),
    createAddition('bls12381G2Add', 600, G2_BYTES, (a, b) => cryptography.bls12381.addG2(a, b)),
    createSum(cryptography, 'bls12381G2Sum', G2_PRODUCT, G2_BYTES, (points, scalars) =>
      cryptography.bls12381.multiplyG2(points, scalars),
    ),
    createPairing(cryptography),
    createMap('bls12381MapToG1', 5500, PADDED_BYTES, (element) => cryptography.bls12381.mapToG1(element)),
    createMap('bls12381MapToG2', 23_800, 2 * PADDED_BYTES, (element) =>
      cryptography.bls12381.mapToG2(element),
    ),
  ];
}
