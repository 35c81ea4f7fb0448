import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { Bn254 } from '../interpreter/precompiles/cryptography.ts';
import { createBn254GroupCheck } from './bn254-group.ts';
import { G1_SIZE, MclCurve, SCALAR_SIZE } from './mcl-curve.ts';
import type { MclFactory } from './mcl-module.ts';
import { PairingProduct, type PairReader } from './mcl-pairing.ts';

const G1_BYTES = 64;
const G2_BYTES = 128;
const PAIR_BYTES: number = G1_BYTES + G2_BYTES;

/** Creates the alt_bn128 operations on top of mcl. */
export function createBn254(instantiate: MclFactory): Bn254 {
  const curve = new MclCurve(instantiate, {
    id: 4,
    fieldOrder: hexToBytes('0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47'),
    isImaginaryFirst: true,
  });
  const { exports } = curve;
  const [a, b] = [curve.allocate(G1_SIZE), curve.allocate(G1_SIZE)];
  const scalar = curve.allocate(SCALAR_SIZE);
  const product = new PairingProduct(curve);
  const isInGroup = createBn254GroupCheck(curve);
  return {
    add: (first, second) => {
      if (!curve.setG1(a, first) || !curve.setG1(b, second)) return undefined;
      exports.mclBnG1_add(a, a, b);
      return curve.getG1(a);
    },
    multiply: (point, factor) => {
      if (!curve.setG1(a, point)) return undefined;
      curve.setScalar(scalar, factor);
      exports.mclBnG1_mul(a, a, scalar);
      return curve.getG1(a);
    },
    checkPairing: (pairs, batch) => {
      const reader: PairReader = {
        set: (index, g1, g2) => {
          const pair = pairs.subarray(index * PAIR_BYTES, (index + 1) * PAIR_BYTES);
          return curve.setG1(g1, pair.subarray(0, G1_BYTES)) && curve.setG2(g2, pair.subarray(G1_BYTES));
        },
        areInGroup: (_g1, g2) => isInGroup(g2),
      };
      return product.isOne(pairs.length / PAIR_BYTES, batch, reader);
    },
  };
}
