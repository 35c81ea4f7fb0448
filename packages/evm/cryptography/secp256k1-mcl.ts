import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { RecoverPublicKey } from '../../ethereum/primitives/signature.ts';
import { EcdsaCurve } from './ecdsa-curve.ts';
import { FIELD_SIZE, G1_SIZE } from './mcl-curve.ts';
import type { MclFactory } from './mcl-module.ts';

/** y^2 = x^3 + 7 */
const CONSTANT_TERM = 7;

/** Creates secp256k1 key recovery on top of mcl. */
export function createMclRecovery(instantiate: MclFactory): RecoverPublicKey {
  const ecdsa = new EcdsaCurve(instantiate, {
    id: 102,
    fieldOrder: hexToBytes('0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'),
    groupOrder: hexToBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
    generator: hexToBytes(
      '0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
    ),
  });
  const { curve } = ecdsa;
  const { exports } = curve;
  const constantTerm = curve.allocate(FIELD_SIZE);
  exports.mclBnFp_setInt32(constantTerm, CONSTANT_TERM);
  const key = curve.allocate(G1_SIZE);

  /**
   * Loads the signature's nonce point P, whose x is r.
   * @returns false when no point of the curve has the coordinate x = r
   */
  const setNonce = (r: Uint8Array, yParity: 0 | 1): boolean => {
    const [x, y] = [ecdsa.point, ecdsa.point + FIELD_SIZE];
    if (!curve.setField(x, r)) return false;
    exports.mclBnFp_mul(y, x, x);
    exports.mclBnFp_mul(y, y, x);
    exports.mclBnFp_add(y, y, constantTerm);
    if (exports.mclBnFp_squareRoot(y, y) !== 0) return false;
    if (exports.mclBnFp_isOdd(y) !== yParity) exports.mclBnFp_neg(y, y);
    exports.mclBnFp_setInt32(ecdsa.point + 2 * FIELD_SIZE, 1);
    return true;
  };

  return (hash, signature, yParity) => {
    if (!ecdsa.setSignature(signature) || !setNonce(signature.subarray(0, 32), yParity)) return undefined;
    // The recovered public key is (-hash / r) G + (s / r) P, where P is the point with x = r. `setFactors` divides both factors by -r, so s is
    // negated as well.
    exports.mclBnFr_neg(ecdsa.r, ecdsa.r);
    exports.mclBnFr_neg(ecdsa.s, ecdsa.s);
    ecdsa.setFactors(hash, ecdsa.s, ecdsa.r);
    ecdsa.combine(key);
    return exports.mclBnG1_isZero(key) === 1 ? undefined : curve.getG1(key);
  };
}
