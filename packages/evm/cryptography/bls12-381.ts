import type { Bls12381 } from '../interpreter/precompiles/cryptography.ts';
import type { Steps } from '../interpreter/precompiles/steps.ts';
import { FIELD_SIZE, G1_SIZE, G2_SIZE, type MclCurve, SCALAR_SIZE } from './mcl-curve.ts';
import { PairingProduct } from './mcl-pairing.ts';

const G1_BYTES = 96;
const G2_BYTES = 192;
const SCALAR_BYTES = 32;
/** Products of a point and a scalar per step of about 1 ms. Longer sums take several steps. */
const G1_BATCH = 4;
const G2_BATCH = 2;

/** Operations of a group, G1 or G2. */
type Group = {
  readonly pointBytes: number;
  readonly pointSize: number;
  /** Products per step. */
  readonly batch: number;
  readonly setPoint: (to: number, bytes: Uint8Array) => boolean;
  readonly getPoint: (from: number) => Uint8Array;
  readonly isInGroup: (at: number) => boolean;
  readonly clear: (at: number) => void;
  readonly add: (to: number, a: number, b: number) => void;
  readonly sumProducts: (to: number, points: number, scalars: number, count: number) => void;
};

function createG1(curve: MclCurve): Group {
  const { exports } = curve;
  return {
    pointBytes: G1_BYTES,
    pointSize: G1_SIZE,
    batch: G1_BATCH,
    setPoint: (to, bytes) => curve.setG1(to, bytes),
    getPoint: (from) => curve.getG1(from),
    isInGroup: (at) => exports.mclBnG1_isValidOrder(at) === 1,
    clear: exports.mclBnG1_clear,
    add: exports.mclBnG1_add,
    sumProducts: exports.mclBnG1_mulVec,
  };
}

function createG2(curve: MclCurve): Group {
  const { exports } = curve;
  return {
    pointBytes: G2_BYTES,
    pointSize: G2_SIZE,
    batch: G2_BATCH,
    setPoint: (to, bytes) => curve.setG2(to, bytes),
    getPoint: (from) => curve.getG2(from),
    isInGroup: (at) => exports.mclBnG2_isValidOrder(at) === 1,
    clear: exports.mclBnG2_clear,
    add: exports.mclBnG2_add,
    sumProducts: exports.mclBnG2_mulVec,
  };
}

function createAddition(curve: MclCurve, group: Group): Bls12381['addG1'] {
  const [a, b] = [curve.allocate(group.pointSize), curve.allocate(group.pointSize)];
  return (first, second) => {
    if (!group.setPoint(a, first) || !group.setPoint(b, second)) return undefined;
    group.add(a, a, b);
    return group.getPoint(a);
  };
}

function createSum(curve: MclCurve, group: Group): Bls12381['multiplyG1'] {
  const { batch, pointBytes, pointSize } = group;
  const points = curve.allocate(batch * pointSize);
  const scalars = curve.allocate(batch * SCALAR_SIZE);
  const [total, part] = [curve.allocate(pointSize), curve.allocate(pointSize)];
  return function* multiply(pointsIn: Uint8Array, scalarsIn: Uint8Array): Steps<Uint8Array | undefined> {
    const count = scalarsIn.length / SCALAR_BYTES;
    let sum: Uint8Array | undefined;
    for (let first = 0; first < count; first += batch) {
      const size = Math.min(batch, count - first);
      for (let i = 0; i < size; i++) {
        const point = points + i * pointSize;
        const at = first + i;
        if (!group.setPoint(point, pointsIn.subarray(at * pointBytes, (at + 1) * pointBytes)))
          return undefined;
        if (!group.isInGroup(point)) return undefined;
        const scalar = scalarsIn.subarray(at * SCALAR_BYTES, (at + 1) * SCALAR_BYTES);
        curve.setScalar(scalars + i * SCALAR_SIZE, scalar);
      }
      group.sumProducts(part, points, scalars, size);
      if (sum === undefined) group.clear(total);
      else curve.restore(total, sum);
      group.add(total, total, part);
      sum = curve.save(total, pointSize);
      yield;
    }
    if (sum !== undefined) curve.restore(total, sum);
    return group.getPoint(total);
  };
}

function createPairingCheck(curve: MclCurve, g1: Group, g2: Group): Bls12381['checkPairing'] {
  const product = new PairingProduct(curve);
  return (g1Bytes, g2Bytes, batch) =>
    product.isOne(g1Bytes.length / G1_BYTES, batch, {
      set: (i, a, b) =>
        g1.setPoint(a, g1Bytes.subarray(i * G1_BYTES, (i + 1) * G1_BYTES)) &&
        g2.setPoint(b, g2Bytes.subarray(i * G2_BYTES, (i + 1) * G2_BYTES)),
      areInGroup: (a, b) => g1.isInGroup(a) && g2.isInGroup(b),
    });
}

/** Creates the BLS12-381 operations on top of mcl. */
export function createBls12381(curve: MclCurve): Bls12381 {
  const { exports } = curve;
  const [g1, g2] = [createG1(curve), createG2(curve)];
  const [element, image] = [curve.allocate(2 * FIELD_SIZE), curve.allocate(G2_SIZE)];
  return {
    addG1: createAddition(curve, g1),
    addG2: createAddition(curve, g2),
    multiplyG1: createSum(curve, g1),
    multiplyG2: createSum(curve, g2),
    checkPairing: createPairingCheck(curve, g1, g2),
    mapToG1: (bytes) => {
      if (!curve.setField(element, bytes)) return undefined;
      exports.mclBnFp_mapToG1(image, element);
      return curve.getG1(image);
    },
    mapToG2: (bytes) => {
      if (!curve.setField2(element, bytes)) return undefined;
      exports.mclBnFp2_mapToG2(image, element);
      return curve.getG2(image);
    },
  };
}
