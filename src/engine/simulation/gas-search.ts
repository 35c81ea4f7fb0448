import { minBigInt } from '../../primitives/bigint.ts';
import type { TransactionResult } from '../transition/running-transaction.ts';

/** A call that passes on value hands 2,300 gas to its callee on top (EVM's call stipend). */
const CALL_STIPEND = 2_300n;
/** The search ends when the bounds are this close: 1.5 % of the upper one. */
const TOLERANCE = { numerator: 15n, denominator: 1_000n };

/** geth's search for a gas limit (eth/gasestimator), apart from its runs: which one to try next, and what follows from it. */
export class GasSearch {
  /** Known to be enough. */
  high: bigint;
  /** The most that was tried and was too little. */
  tooLittle: bigint | undefined;
  #low: bigint;
  #candidate: bigint;

  /**
   * @param result of a run that succeeded
   * @param enough that run's gas limit
   */
  constructor(result: Pick<TransactionResult, 'gasUsed' | 'peakGasUsed'>, enough: bigint) {
    this.high = enough;
    this.#low = result.gasUsed - 1n;
    // Most calls succeed with their peak usage plus what the 63/64 rule holds back (EIP-150).
    const optimistic = ((result.peakGasUsed + CALL_STIPEND) * 64n) / 63n;
    this.#candidate = optimistic < enough ? optimistic : this.#middle;
  }

  /** The gas limit to try next; undefined at the end. */
  get candidate(): bigint | undefined {
    const isFirst = this.#candidate !== this.#middle;
    return isFirst || !this.#isClose ? this.#candidate : undefined;
  }

  /** What came of the candidate. */
  note(succeeded: boolean): void {
    if (succeeded) this.high = this.#candidate;
    else {
      this.#low = this.#candidate;
      this.tooLittle = this.#candidate;
    }
    this.#candidate = this.#middle;
  }

  /** Most calls need little more than they use: it leans towards the lower bound. */
  get #middle(): bigint {
    return minBigInt(this.#low + (this.high - this.#low) / 2n, this.#low * 2n);
  }

  get #isClose(): boolean {
    const range = this.high - this.#low;
    return range <= 1n || range * TOLERANCE.denominator < this.high * TOLERANCE.numerator;
  }
}
