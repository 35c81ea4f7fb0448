import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import { FIELD_SIZE, G2_SIZE, type MclCurve } from './mcl-curve.ts';

/** Parameter x of the curve. The field order and the group order are polynomials in x. */
const X = 0x44e992b44a6909f1n;
const X_BITS: readonly boolean[] = [...X.toString(2)].map((bit) => bit === '1');
const FIELD2_SIZE = 2 * FIELD_SIZE;

/** Factors of the Frobenius map on the twist: (9 + i)^((p - 1) / 3) and (9 + i)^((p - 1) / 2), with the imaginary part first. */
const X_FACTOR: Uint8Array = hexToBytes(
  '0x16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba22fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553d',
);
const Y_FACTOR: Uint8Array = hexToBytes(
  '0x07c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3063cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135a',
);

/**
 * Creates a function that checks whether a point of the twist is in G2, with the endomorphism psi (ePrint 2022/348, section 3). A point Q is in G2
 * exactly when (x + 1) Q + psi(x Q) + psi^2(x Q) = psi^3(2 x Q). A check by multiplying with the group order would take three times as long.
 */
export function createBn254GroupCheck(curve: MclCurve): (point: number) => boolean {
  const { exports } = curve;
  const [multiple, image, sum] = [curve.allocate(G2_SIZE), curve.allocate(G2_SIZE), curve.allocate(G2_SIZE)];
  const [xFactor, yFactor] = [curve.allocate(FIELD2_SIZE), curve.allocate(FIELD2_SIZE)];
  curve.setField2(xFactor, X_FACTOR);
  curve.setField2(yFactor, Y_FACTOR);

  const multiplyByX = (to: number, point: number): void => {
    exports.mclBnG2_clear(to);
    for (const bit of X_BITS) {
      exports.mclBnG2_dbl(to, to);
      if (bit) exports.mclBnG2_add(to, to, point);
    }
  };
  /** Applies psi in Jacobian coordinates: conjugates each coordinate, then multiplies x and y by the factors. */
  const applyPsi = (to: number, point: number): void => {
    curve.copy(to, point, G2_SIZE);
    for (let at = FIELD_SIZE; at < G2_SIZE; at += FIELD2_SIZE) exports.mclBnFp_neg(to + at, to + at);
    exports.mclBnFp2_mul(to, to, xFactor);
    exports.mclBnFp2_mul(to + FIELD2_SIZE, to + FIELD2_SIZE, yFactor);
  };

  return (point) => {
    multiplyByX(multiple, point);
    exports.mclBnG2_add(sum, multiple, point);
    applyPsi(image, multiple);
    exports.mclBnG2_add(sum, sum, image);
    applyPsi(image, image);
    exports.mclBnG2_add(sum, sum, image);
    applyPsi(image, image);
    exports.mclBnG2_dbl(image, image);
    return exports.mclBnG2_isEqual(sum, image) === 1;
  };
}
