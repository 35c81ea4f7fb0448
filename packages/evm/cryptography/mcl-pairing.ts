import type { Steps } from '../interpreter/precompiles/steps.ts';
import { G1_SIZE, G2_SIZE, GT_SIZE, type MclCurve } from './mcl-curve.ts';

/** Maximum number of pairs per Miller loop. */
const MAX_BATCH_PAIRS = 32;

/** Reads the points of pairs from the input of a pairing check. */
export type PairReader = {
  /** Writes the points of pair `index` to the addresses `g1` and `g2`. @returns false when a point is not on its curve */
  set(index: number, g1: number, g2: number): boolean;
  /** Whether the points at these addresses are in their groups. */
  areInGroup(g1: number, g2: number): boolean;
};

/** Multiplies pairings of G1 and G2 points, to check whether the product is one. */
export class PairingProduct {
  readonly #curve: MclCurve;
  readonly #g1: number;
  readonly #g2: number;
  readonly #product: number;
  readonly #factor: number;

  constructor(curve: MclCurve) {
    this.#curve = curve;
    this.#g1 = curve.allocate(MAX_BATCH_PAIRS * G1_SIZE);
    this.#g2 = curve.allocate(MAX_BATCH_PAIRS * G2_SIZE);
    this.#product = curve.allocate(GT_SIZE);
    this.#factor = curve.allocate(GT_SIZE);
  }

  /**
   * Checks whether the product of all pairings is one.
   * @param batch pairs per Miller loop; each loop is one step
   * @returns undefined when a point is not on its curve or not in its group
   */
  *isOne(count: number, batch: number, reader: PairReader): Steps<boolean | undefined> {
    const { exports } = this.#curve;
    let product: Uint8Array | undefined;
    for (let first = 0; first < count; first += batch) {
      const end = Math.min(count, first + batch);
      for (let i = first; i < end; i++) {
        if (!reader.set(i, this.#g1, this.#g2) || !reader.areInGroup(this.#g1, this.#g2)) return undefined;
      }
      yield;
      product = this.#multiply(product, first, end, reader);
      yield;
    }
    if (product === undefined) return true;
    this.#curve.restore(this.#product, product);
    exports.mclBn_finalExp(this.#product, this.#product);
    return exports.mclBnGT_isOne(this.#product) === 1;
  }

  /** Multiplies the product so far, `before`, by the pairings of pairs `first` to `end` - 1. A pairing with a point at infinity is one, so it is skipped. */
  #multiply(
    before: Uint8Array | undefined,
    first: number,
    end: number,
    reader: PairReader,
  ): Uint8Array | undefined {
    const { exports } = this.#curve;
    let count = 0;
    for (let i = first; i < end; i++) {
      const [g1, g2] = [this.#g1 + count * G1_SIZE, this.#g2 + count * G2_SIZE];
      reader.set(i, g1, g2);
      if (exports.mclBnG1_isZero(g1) === 0 && exports.mclBnG2_isZero(g2) === 0) count++;
    }
    if (count === 0) return before;
    exports.mclBn_millerLoopVec(this.#product, this.#g1, this.#g2, count);
    if (before !== undefined) {
      this.#curve.restore(this.#factor, before);
      exports.mclBnGT_mul(this.#product, this.#product, this.#factor);
    }
    return this.#curve.save(this.#product, GT_SIZE);
  }
}
