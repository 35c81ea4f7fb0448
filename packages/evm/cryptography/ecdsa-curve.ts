import { isAllZero, isBelow } from './bytes-below.ts';
import { G1_SIZE, MclCurve, SCALAR_SIZE } from './mcl-curve.ts';
import type { MclFactory } from './mcl-module.ts';

export type EcdsaOptions = {
  /** Curve id in mcl's C interface. */
  readonly id: number;
  readonly fieldOrder: Uint8Array;
  readonly groupOrder: Uint8Array;
  /** Generator: x, then y. */
  readonly generator: Uint8Array;
};

/** Operations common to signature verification and key recovery: a G + b P, for a point P and scalars a and b. */
export class EcdsaCurve {
  readonly curve: MclCurve;
  /** Addresses in mcl's memory of the signature's parts r and s, and of the point P. */
  readonly r: number;
  readonly s: number;
  readonly point: number;
  readonly #groupOrder: Uint8Array;
  readonly #points: number;
  readonly #factors: number;

  constructor(instantiate: MclFactory, { id, fieldOrder, groupOrder, generator }: EcdsaOptions) {
    const curve = new MclCurve(instantiate, { id, fieldOrder, isImaginaryFirst: false });
    this.curve = curve;
    this.r = curve.allocate(SCALAR_SIZE);
    this.s = curve.allocate(SCALAR_SIZE);
    this.#groupOrder = groupOrder;
    this.#points = curve.allocate(2 * G1_SIZE);
    this.#factors = curve.allocate(2 * SCALAR_SIZE);
    this.point = this.#points + G1_SIZE;
    if (!curve.setG1(this.#points, generator)) throw new Error('the generator is not on the curve');
  }

  /** Loads r and s. @returns false when r or s is zero or not below the group order */
  setSignature(signature: Uint8Array): boolean {
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)];
    if (isAllZero(r) || isAllZero(s)) return false;
    if (!isBelow(r, this.#groupOrder) || !isBelow(s, this.#groupOrder)) return false;
    this.curve.setScalar(this.r, r);
    this.curve.setScalar(this.s, s);
    return true;
  }

  /** Sets the scalars a = hash / divisor and b = factor / divisor; `factor` and `divisor` are addresses of scalars. */
  setFactors(hash: Uint8Array, factor: number, divisor: number): void {
    const { exports } = this.curve;
    const [a, b] = [this.#factors, this.#factors + SCALAR_SIZE];
    exports.mclBnFr_inv(b, divisor);
    this.curve.setScalar(a, hash);
    exports.mclBnFr_mul(a, a, b);
    exports.mclBnFr_mul(b, b, factor);
  }

  /** Writes a G + b P to the address `to`. */
  combine(to: number): void {
    this.curve.exports.mclBnG1_mulVec(to, this.#points, this.#factors, 2);
  }
}
