import { isAllZero } from './bytes-below.ts';
import { FIELD_SIZE, type MclCurve } from './mcl-curve.ts';

const COMPRESSED_BYTES = 48;
/** Flags in the first byte of a compressed point. */
const IS_COMPRESSED = 0x80;
const IS_INFINITY = 0x40;
const IS_LARGER_Y = 0x20;
const FLAGS: number = IS_COMPRESSED | IS_INFINITY | IS_LARGER_Y;
/** y^2 = x^3 + 4 */
const CONSTANT_TERM = 4;

/**
 * Creates a reader of compressed BLS12-381 G1 points: 48 bytes, flags and x.
 * @returns a function that writes a point to the address `to`. The function returns false when the bytes are not a point of the group.
 */
export function createCompressedReader(curve: MclCurve): (to: number, bytes: Uint8Array) => boolean {
  const { exports } = curve;
  const constantTerm = curve.allocate(FIELD_SIZE);
  exports.mclBnFp_setInt32(constantTerm, CONSTANT_TERM);

  const solveForY = (y: number, x: number): boolean => {
    exports.mclBnFp_mul(y, x, x);
    exports.mclBnFp_mul(y, y, x);
    exports.mclBnFp_add(y, y, constantTerm);
    return exports.mclBnFp_squareRoot(y, y) === 0;
  };

  return (to, bytes) => {
    if (bytes.length !== COMPRESSED_BYTES) return false;
    const flags = (bytes[0] as number) & FLAGS;
    const x = new Uint8Array(bytes);
    x[0] = (bytes[0] as number) & ~FLAGS;
    if ((flags & IS_COMPRESSED) === 0) return false;
    if ((flags & IS_INFINITY) !== 0) {
      exports.mclBnG1_clear(to);
      return (flags & IS_LARGER_Y) === 0 && isAllZero(x);
    }
    const y = to + FIELD_SIZE;
    if (!curve.setField(to, x) || !solveForY(y, to)) return false;
    // mcl calls the larger of y and -y negative.
    if ((exports.mclBnFp_isNegative(y) === 1) !== ((flags & IS_LARGER_Y) !== 0)) exports.mclBnFp_neg(y, y);
    exports.mclBnFp_setInt32(to + 2 * FIELD_SIZE, 1);
    return exports.mclBnG1_isValidOrder(to) === 1;
  };
}
