import type { Bls12381 } from '../../evm/precompiles/cryptography.ts';
import { FIELD_SIZE, G1_SIZE, G2_SIZE, type MclCurve, SCALAR_SIZE } from './mcl-curve.ts';
import { PairingProduct } from './mcl-pairing.ts';

const G1_BYTES = 96;
const G2_BYTES = 192;
const SCALAR_BYTES = 32;
/** Products that are summed at once; longer sums are made of several. */
const BATCH_PRODUCTS = 256;

/** What G1 and G2 do alike, each with functions of its own. */
type Group = {
  readonly pointBytes: number;
  readonly pointSize: number;
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
  const points = curve.allocate(BATCH_PRODUCTS * group.pointSize);
  const scalars = curve.allocate(BATCH_PRODUCTS * SCALAR_SIZE);
  const [sum, part] = [curve.allocate(group.pointSize), curve.allocate(group.pointSize)];
  return (pointBytes, scalarBytes) => {
    let pending = 0;
    const addPending = (): void => {
      group.sumProducts(part, points, scalars, pending);
      group.add(sum, sum, part);
      pending = 0;
    };
    group.clear(sum);
    for (let i = 0; i < scalarBytes.length / SCALAR_BYTES; i++) {
      const point = points + pending * group.pointSize;
      const bytes = pointBytes.subarray(i * group.pointBytes, (i + 1) * group.pointBytes);
      if (!group.setPoint(point, bytes) || !group.isInGroup(point)) return undefined;
      const scalar = scalarBytes.subarray(i * SCALAR_BYTES, (i + 1) * SCALAR_BYTES);
      curve.setScalar(scalars + pending * SCALAR_SIZE, scalar);
      pending++;
      if (pending === BATCH_PRODUCTS) addPending();
    }
    if (pending > 0) addPending();
    return group.getPoint(sum);
  };
}

function createPairingCheck(curve: MclCurve, g1: Group, g2: Group): Bls12381['checkPairing'] {
  const product = new PairingProduct(curve);
  return (g1Bytes, g2Bytes) => {
    product.begin();
    for (let i = 0; i < g1Bytes.length / G1_BYTES; i++) {
      const [a, b] = [product.nextG1, product.nextG2];
      if (!g1.setPoint(a, g1Bytes.subarray(i * G1_BYTES, (i + 1) * G1_BYTES))) return undefined;
      if (!g2.setPoint(b, g2Bytes.subarray(i * G2_BYTES, (i + 1) * G2_BYTES))) return undefined;
      if (!g1.isInGroup(a) || !g2.isInGroup(b)) return undefined;
      product.addPair();
    }
    return product.isOne();
  };
}

/** BLS12-381 by mcl. */
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
