import { hexToBytes } from '../../primitives/hex.ts';
import { MclCurve } from './mcl-curve.ts';

/** mcl's number of RFC 9380's maps to the curves. */
const RFC_9380_MAPS = 5;

/** BLS12-381 as Ethereum uses it. */
export function createBls12381Curve(): MclCurve {
  const curve = new MclCurve({
    id: 5,
    fieldOrder: hexToBytes(
      '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
    ),
    isImaginaryFirst: false,
  });
  if (curve.exports.mclBn_setMapToMode(RFC_9380_MAPS) !== 0)
    throw new Error('mcl lacks the maps of RFC 9380');
  return curve;
}
