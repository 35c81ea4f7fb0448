import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { Cryptography } from '../interpreter/precompiles/cryptography.ts';
import type { Steps } from '../interpreter/precompiles/steps.ts';
import { createCompressedReader } from './bls12-381-compressed.ts';
import { isBelow } from './bytes-below.ts';
import { G1_SIZE, G2_SIZE, GT_SIZE, type MclCurve, SCALAR_SIZE } from './mcl-curve.ts';

const G1_GENERATOR: Uint8Array = hexToBytes(
  '0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
);
const G2_GENERATOR: Uint8Array = hexToBytes(
  '0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb813e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b828010606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
);
/** The generator of G2 times the ceremony's secret tau: the only part of EIP-4844's trusted setup that point evaluation needs. */
const G2_TAU: Uint8Array = hexToBytes(
  '0x185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def215bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a991666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
);
const SCALAR_ORDER: Uint8Array = hexToBytes(
  '0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
);

function precomputeG2(curve: MclCurve, bytes: Uint8Array): number {
  const point = curve.allocate(G2_SIZE);
  if (!curve.setG2(point, bytes)) throw new Error('the point is not on BLS12-381');
  const lines = curve.allocate(8 * curve.exports.mclBn_getUint64NumToPrecompute());
  curve.exports.mclBn_precomputeG2(lines, point);
  return lines;
}

/**
 * Creates a KZG proof verifier. Let C be the commitment to a polynomial p, and Q the proof. The evaluation p(z) = y is correct exactly when Q commits
 * to (p - y) / (X - z). The verifier checks e(C - y G1 + z Q, G2) = e(Q, tau G2).
 */
export function createKzgVerifier(curve: MclCurve): Cryptography['verifyKzgProof'] {
  const { exports } = curve;
  const readPoint = createCompressedReader(curve);
  const generator = precomputeG2(curve, G2_GENERATOR);
  const tau = precomputeG2(curve, G2_TAU);
  // Points (-G1, Q) and scalars (y, z) for computing C - y G1 + z Q. mcl requires adjacent points and adjacent scalars.
  const points = curve.allocate(2 * G1_SIZE);
  const scalars = curve.allocate(2 * SCALAR_SIZE);
  const [minusG1, proof] = [points, points + G1_SIZE];
  const [commitment, left] = [curve.allocate(G1_SIZE), curve.allocate(G1_SIZE)];
  const product = curve.allocate(GT_SIZE);
  curve.setG1(minusG1, G1_GENERATOR);
  exports.mclBnG1_neg(minusG1, minusG1);

  return function* verify(commitmentBytes, z, y, proofBytes): Steps<boolean> {
    if (!isBelow(z, SCALAR_ORDER) || !isBelow(y, SCALAR_ORDER)) return false;
    if (!readPoint(commitment, commitmentBytes) || !readPoint(proof, proofBytes)) return false;
    curve.setScalar(scalars, y);
    curve.setScalar(scalars + SCALAR_SIZE, z);
    exports.mclBnG1_mulVec(left, points, scalars, 2);
    exports.mclBnG1_add(left, left, commitment);
    const isLeftZero = exports.mclBnG1_isZero(left) === 1;
    const isProofZero = exports.mclBnG1_isZero(proof) === 1;
    if (isLeftZero || isProofZero) return isLeftZero && isProofZero;
    exports.mclBnG1_neg(left, left);
    const operands = [curve.save(left, G1_SIZE), curve.save(proof, G1_SIZE)] as const;
    yield;
    curve.restore(left, operands[0]);
    curve.restore(proof, operands[1]);
    exports.mclBn_precomputedMillerLoop2(product, left, generator, proof, tau);
    const pairing = curve.save(product, GT_SIZE);
    yield;
    curve.restore(product, pairing);
    exports.mclBn_finalExp(product, product);
    return exports.mclBnGT_isOne(product) === 1;
  };
}
