import { maxBigInt, minBigInt } from '../../ethereum/primitives/bigint.ts';

/** Gas that a transaction's message has used, and gas that it has left. */
export type MessageGas = {
  /** Remaining execution gas. */
  readonly gasLeft: bigint;
  readonly stateGasLeft: bigint;
  /** Net state gas: refills inside the message are subtracted. */
  readonly stateGasUsed: bigint;
};

/**
 * Execution gas and state gas reservoir of a transaction before and after its message (EIP-8037, geth's `GasBudget`). State charges draw on the
 * reservoir first, then on execution gas.
 */
export class GasBudget {
  #gasLeft: bigint;
  #reservoir: bigint;
  readonly #initialReservoir: bigint;
  /** State gas charged, net of refills. */
  #stateUsed = 0n;
  /** Execution gas that paid for state charges and was not refilled. */
  #spilled = 0n;

  /**
   * @param gas remaining gas limit after intrinsic gas
   * @param executionCap maximum execution gas after intrinsic gas; the excess is the reservoir. If `executionCap` is undefined, all gas is execution
   * gas and the reservoir is empty.
   */
  constructor(gas: bigint, executionCap: bigint | undefined) {
    this.#gasLeft = executionCap === undefined ? gas : minBigInt(executionCap, gas);
    this.#reservoir = gas - this.#gasLeft;
    this.#initialReservoir = this.#reservoir;
  }

  get gasLeft(): bigint {
    return this.#gasLeft;
  }

  get reservoir(): bigint {
    return this.#reservoir;
  }

  get stateUsed(): bigint {
    return this.#stateUsed;
  }

  /** Charges execution gas and state gas together. @returns false when the budget cannot pay; nothing is charged then */
  charge(execution: bigint, state: bigint): boolean {
    const fromReservoir = minBigInt(state, this.#reservoir);
    const spill = state - fromReservoir;
    if (execution + spill > this.#gasLeft) return false;
    this.#gasLeft -= execution + spill;
    this.#reservoir -= fromReservoir;
    this.#spilled += spill;
    this.#stateUsed += state;
    return true;
  }

  /** Refills state gas: first repays execution gas that paid for state charges, then fills the reservoir. */
  refillState(amount: bigint): void {
    const repaid = minBigInt(amount, this.#spilled);
    this.#gasLeft += repaid;
    this.#spilled -= repaid;
    this.#reservoir += amount - repaid;
    this.#stateUsed -= amount;
  }

  /** Takes over the remaining gas of the finished message. The message received all remaining gas. */
  absorb({ gasLeft, stateGasLeft, stateGasUsed }: MessageGas): void {
    // State gas left by the message first repays the execution gas that paid for state charges before the message.
    const repaid = minBigInt(stateGasLeft, this.#spilled);
    this.#gasLeft = gasLeft + repaid;
    this.#reservoir = stateGasLeft - repaid;
    this.#spilled -= repaid;
    this.#stateUsed += stateGasUsed;
  }

  /** Consumes all execution gas, after the message halted. */
  burn(): void {
    this.#gasLeft = 0n;
  }

  /** Consumes all execution gas and restores all state gas, when a charge before the message cannot be paid. */
  halt(): void {
    this.#gasLeft = 0n;
    this.#reservoir = this.#initialReservoir;
    this.#stateUsed = 0n;
    this.#spilled = 0n;
  }
}

/** Gas consumption of a transaction, from which its payment is computed. */
export type GasSpent = {
  /** Execution and state gas, before refunds. */
  readonly spent: bigint;
  /** State gas contained in `spent`. */
  readonly stateUsed: bigint;
  /** Refund counter. */
  readonly refund: bigint;
  readonly floorGas: bigint;
};

export type FinalGas = {
  /** Gas that the sender pays: `gasUsed` of the receipt. */
  readonly gasUsed: bigint;
  /** Gas before refunds, but at least the floor. */
  readonly peakGasUsed: bigint;
  /** Execution gas that the block counts. */
  readonly blockExecutionGas: bigint;
  readonly blockStateGas: bigint;
};

/**
 * Applies refunds and the floor (EIP-3529, 7623, 7778, 8037). For the sender's payment, refunds and floor apply to the sum of execution and state
 * gas. From Amsterdam, the block counts execution gas without refunds and applies the floor to execution gas alone.
 * @param quotient refunds are capped at `spent / quotient`
 * @param countsRefunds true before Amsterdam: the block counts gas after refunds
 */
export function finalizeGas(
  { spent, stateUsed, refund, floorGas }: GasSpent,
  quotient: bigint,
  countsRefunds: boolean,
): FinalGas {
  const capped = refund === 0n ? 0n : minBigInt(refund, spent / quotient);
  const gasUsed = maxBigInt(spent - capped, floorGas);
  return {
    gasUsed,
    peakGasUsed: maxBigInt(spent, floorGas),
    blockExecutionGas: countsRefunds ? gasUsed : maxBigInt(spent - stateUsed, floorGas),
    blockStateGas: stateUsed,
  };
}
