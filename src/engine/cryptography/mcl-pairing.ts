import { G1_SIZE, G2_SIZE, GT_SIZE, type MclCurve } from './mcl-curve.ts';

/** Pairs that share the squarings of one Miller loop; longer products are made of several. */
const BATCH_PAIRS = 32;

/** Multiplies pairings of G1 and G2 points, to see whether the product is one. */
export class PairingProduct {
  readonly #curve: MclCurve;
  readonly #g1: number;
  readonly #g2: number;
  readonly #product: number;
  readonly #factor: number;
  #pending = 0;
  #isEmpty = true;

  constructor(curve: MclCurve) {
    this.#curve = curve;
    this.#g1 = curve.allocate(BATCH_PAIRS * G1_SIZE);
    this.#g2 = curve.allocate(BATCH_PAIRS * G2_SIZE);
    this.#product = curve.allocate(GT_SIZE);
    this.#factor = curve.allocate(GT_SIZE);
  }

  begin(): void {
    this.#pending = 0;
    this.#isEmpty = true;
  }

  /** Where the next pair's points go; `addPair` takes them. */
  get nextG1(): number {
    return this.#g1 + this.#pending * G1_SIZE;
  }

  get nextG2(): number {
    return this.#g2 + this.#pending * G2_SIZE;
  }

  addPair(): void {
    const { exports } = this.#curve;
    if (exports.mclBnG1_isZero(this.nextG1) === 1 || exports.mclBnG2_isZero(this.nextG2) === 1) return;
    this.#pending++;
    if (this.#pending === BATCH_PAIRS) this.#multiply();
  }

  isOne(): boolean {
    const { exports } = this.#curve;
    if (this.#pending > 0) this.#multiply();
    if (this.#isEmpty) return true;
    exports.mclBn_finalExp(this.#product, this.#product);
    return exports.mclBnGT_isOne(this.#product) === 1;
  }

  #multiply(): void {
    const { exports } = this.#curve;
    const to = this.#isEmpty ? this.#product : this.#factor;
    exports.mclBn_millerLoopVec(to, this.#g1, this.#g2, this.#pending);
    if (!this.#isEmpty) exports.mclBnGT_mul(this.#product, this.#product, this.#factor);
    this.#isEmpty = false;
    this.#pending = 0;
  }
}
