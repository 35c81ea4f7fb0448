import { maxBigInt, minBigInt } from '../../primitives/bigint.ts';

/** What a transaction's message used and left. */
export type MessageGas = {
  /** Execution gas that is left. */
  readonly gasLeft: bigint;
  readonly stateGasLeft: bigint;
  /** Net: what was given back inside is subtracted. */
  readonly stateGasUsed: bigint;
};

/**
 * Both kinds of gas of a transaction outside of its message (EIP-8037, geth's `GasBudget`): execution gas, and the reservoir of state
 * gas. State charges come out of the reservoir, and what it lacks out of the execution gas.
 */
export class GasBudget {
  #gasLeft: bigint;
  #reservoir: bigint;
  readonly #initialReservoir: bigint;
  /** State gas charged, less what was given back. */
  #stateUsed = 0n;
  /** Execution gas that paid for state charges and was not given back. */
  #spilled = 0n;

  /**
   * @param gas what is left of the gas limit after intrinsic gas
   * @param executionCap execution gas that may be used after intrinsic gas; what exceeds it is the reservoir. Undefined: no cap.
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

  /** Charges execution gas and state gas together. @returns false where they cannot be paid; nothing is charged then */
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

  /** Gives state gas back: first what execution gas has paid, the rest to the reservoir. */
  refillState(amount: bigint): void {
    const repaid = minBigInt(amount, this.#spilled);
    this.#gasLeft += repaid;
    this.#spilled -= repaid;
    this.#reservoir += amount - repaid;
    this.#stateUsed -= amount;
  }

  /** The message, which had all gas that was left, has ended. */
  absorb({ gasLeft, stateGasLeft, stateGasUsed }: MessageGas): void {
    // What the message gave back of charges that were spilled before it repays them.
    const repaid = minBigInt(stateGasLeft, this.#spilled);
    this.#gasLeft = gasLeft + repaid;
    this.#reservoir = stateGasLeft - repaid;
    this.#spilled -= repaid;
    this.#stateUsed += stateGasUsed;
  }

  /** Execution gas is lost: the message halted. */
  burn(): void {
    this.#gasLeft = 0n;
  }

  /** A charge before the message could not be paid: execution gas is lost, and all state gas is given back. */
  halt(): void {
    this.#gasLeft = 0n;
    this.#reservoir = this.#initialReservoir;
    this.#stateUsed = 0n;
    this.#spilled = 0n;
  }
}

/** What a transaction used, from which its payment follows. */
export type GasSpent = {
  /** Of both kinds, before refunds. */
  readonly spent: bigint;
  /** Of that, state gas. */
  readonly stateUsed: bigint;
  /** Refund counter. */
  readonly refund: bigint;
  readonly floorGas: bigint;
};

export type SettledGas = {
  /** What the sender pays: the receipt's gas. */
  readonly gasUsed: bigint;
  /** The most that was in use at any time: before refunds, but not below the floor. */
  readonly peakGasUsed: bigint;
  /** What the block counts of each kind. */
  readonly blockExecutionGas: bigint;
  readonly blockStateGas: bigint;
};

/**
 * EIP-3529, 7623, 7778 and 8037: refunds and the floor apply to both kinds of gas together in what is paid; the block counts execution
 * gas without refunds, and the floor on that alone.
 * @param quotient refunds give back at most one part in so many
 * @param countsRefunds whether blocks count what is paid: before Amsterdam
 */
export function settleGas(
  { spent, stateUsed, refund, floorGas }: GasSpent,
  quotient: bigint,
  countsRefunds: boolean,
): SettledGas {
  const capped = refund === 0n ? 0n : minBigInt(refund, spent / quotient);
  const gasUsed = maxBigInt(spent - capped, floorGas);
  return {
    gasUsed,
    peakGasUsed: maxBigInt(spent, floorGas),
    blockExecutionGas: countsRefunds ? gasUsed : maxBigInt(spent - stateUsed, floorGas),
    blockStateGas: stateUsed,
  };
}
