import { maxBigInt, minBigInt } from '../../primitives/bigint.ts';
import type { SettledGas } from './gas-budget.ts';
import { TransactionError } from './transaction-error.ts';

/**
 * Gas of a block: what its transactions may still use, and what they used (geth's `GasPool`). From Amsterdam it is counted in two
 * dimensions, each of which has the block's whole limit (EIP-8037). Before, all of it is execution gas.
 */
export class BlockGas {
  readonly #limit: bigint;
  readonly #executionCap: bigint | undefined;
  #execution = 0n;
  #state = 0n;
  #paid = 0n;

  /** @param executionCap execution gas that a transaction can use; undefined: its whole limit */
  constructor(limit: bigint, executionCap: bigint | undefined) {
    this.#limit = limit;
    this.#executionCap = executionCap;
  }

  /** The header's: the larger sum. */
  get used(): bigint {
    return maxBigInt(this.#execution, this.#state);
  }

  get execution(): bigint {
    return this.#execution;
  }

  get state(): bigint {
    return this.#state;
  }

  /** What all transactions so far paid: a receipt's cumulative gas. */
  get paid(): bigint {
    return this.#paid;
  }

  /** The largest gas limit that a further transaction may have. */
  get available(): bigint {
    const execution = this.#limit - this.#execution;
    const state = this.#limit - this.#state;
    const cap = this.#executionCap;
    return cap !== undefined && execution >= cap ? state : minBigInt(execution, state);
  }

  /** @throws TransactionError when a transaction with this gas limit might exceed what is left */
  expectRoom(gasLimit: bigint): void {
    const execution = minBigInt(gasLimit, this.#executionCap ?? gasLimit);
    if (execution <= this.#limit - this.#execution && gasLimit <= this.#limit - this.#state) return;
    throw new TransactionError('gas limit reached');
  }

  /** Counts a transaction. @throws TransactionError when a sum exceeds the limit, which a floor can bring about */
  add({ gasUsed, blockExecutionGas, blockStateGas }: SettledGas): void {
    const execution = this.#execution + blockExecutionGas;
    const state = this.#state + blockStateGas;
    const used = maxBigInt(execution, state);
    if (used > this.#limit) {
      throw new TransactionError(
        `gas limit reached: block gas overflow: initial ${this.#limit}, used ${used} (execution: ${execution}, state: ${state})`,
      );
    }
    this.#execution = execution;
    this.#state = state;
    this.#paid += gasUsed;
  }
}
