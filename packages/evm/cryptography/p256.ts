import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { Cryptography } from '../interpreter/precompiles/cryptography.ts';
import { isAllZero } from './bytes-below.ts';
import { EcdsaCurve } from './ecdsa-curve.ts';
import { G1_SIZE } from './mcl-curve.ts';
import type { MclFactory } from './mcl-module.ts';

/** Creates an ECDSA verifier over P-256 on top of mcl. */
export function createP256Verifier(instantiate: MclFactory): Cryptography['verifyP256'] {
  const ecdsa = new EcdsaCurve(instantiate, {
    id: 107,
    fieldOrder: hexToBytes('0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff'),
    groupOrder: hexToBytes('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'),
    generator: hexToBytes(
      '0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
    ),
  });
  const { curve } = ecdsa;
  const { exports } = curve;
  const point = curve.allocate(G1_SIZE);
  return (hash, signature, publicKey) => {
    if (!ecdsa.setSignature(signature) || isAllZero(publicKey)) return false;
    if (!curve.setG1(ecdsa.point, publicKey)) return false;
    // A valid signature satisfies x((hash / s) G + (r / s) Q) = r modulo the group order.
    ecdsa.setFactors(hash, ecdsa.r, ecdsa.s);
    ecdsa.combine(point);
    if (exports.mclBnG1_isZero(point) === 1) return false;
    curve.setScalar(ecdsa.s, curve.getG1(point).subarray(0, 32));
    return exports.mclBnFr_isEqual(ecdsa.s, ecdsa.r) === 1;
  };
}
