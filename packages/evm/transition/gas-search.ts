import { minBigInt } from '../../ethereum/primitives/bigint.ts';
import type { TransactionResult } from './running-transaction.ts';

/** Call stipend: a call that transfers value adds 2,300 gas to its callee's gas. */
const CALL_STIPEND = 2_300n;
/** The search ends when the bounds differ by less than 1.5 % of the upper bound. */
const TOLERANCE = { numerator: 15n, denominator: 1_000n };

/**
 * geth's binary search for a gas limit (eth/gasestimator). `GasSearch` selects the next gas limit to try and narrows the bounds. The caller of
 * `GasSearch` executes the call with each candidate.
 */
export class GasSearch {
  /** Smallest gas limit known to suffice. */
  high: bigint;
  /** Largest gas limit that was tried and was too low. */
  tooLittle: bigint | undefined;
  #low: bigint;
  #candidate: bigint;

  /**
   * @param result result of a successful execution
   * @param enough gas limit of that execution
   */
  constructor(result: Pick<TransactionResult, 'gasUsed' | 'peakGasUsed'>, enough: bigint) {
    this.high = enough;
    this.#low = result.gasUsed - 1n;
    // Most calls succeed with their peak usage plus the gas that the 63/64 rule reserves (EIP-150).
    const optimistic = ((result.peakGasUsed + CALL_STIPEND) * 64n) / 63n;
    this.#candidate = optimistic < enough ? optimistic : this.#middle;
  }

  /** Next gas limit to try; undefined at the end of the search. */
  get candidate(): bigint | undefined {
    const isFirst = this.#candidate !== this.#middle;
    return isFirst || !this.#isClose ? this.#candidate : undefined;
  }

  /** Records the outcome of the candidate. */
  note(succeeded: boolean): void {
    if (succeeded) this.high = this.#candidate;
    else {
      this.#low = this.#candidate;
      this.tooLittle = this.#candidate;
    }
    this.#candidate = this.#middle;
  }

  /** Midpoint of the bounds, but at most twice the lower bound: most calls need little more gas than they use. */
  get #middle(): bigint {
    return minBigInt(this.#low + (this.high - this.#low) / 2n, this.#low * 2n);
  }

  get #isClose(): boolean {
    const range = this.high - this.#low;
    return range <= 1n || range * TOLERANCE.denominator < this.high * TOLERANCE.numerator;
  }
}
