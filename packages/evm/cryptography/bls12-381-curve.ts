import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import { MclCurve } from './mcl-curve.ts';
import type { MclFactory } from './mcl-module.ts';

/** Argument of `mclBn_setMapToMode` that selects the RFC 9380 maps to the curves. */
const RFC_9380_MAPS = 5;

/** Creates BLS12-381 with Ethereum's parameters. @throws Error when mcl lacks the RFC 9380 maps */
export function createBls12381Curve(instantiate: MclFactory): MclCurve {
  const curve = new MclCurve(instantiate, {
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
