import { maxBigInt, minBigInt } from '../../ethereum/primitives/bigint.ts';
import type { FinalGas } from './gas-budget.ts';
import { TransactionError } from './transaction-error.ts';

/**
 * Gas of a block: what its transactions used and what remains (geth's `GasPool`). From Amsterdam, gas has two dimensions, each limited
 * by the block gas limit (EIP-8037). Before Amsterdam, all gas is execution gas.
 */
export class BlockGas {
  readonly #limit: bigint;
  readonly #executionCap: bigint | undefined;
  #execution = 0n;
  #state = 0n;
  #paid = 0n;

  /** @param executionCap maximum execution gas of one transaction; undefined: its whole gas limit */
  constructor(limit: bigint, executionCap: bigint | undefined) {
    this.#limit = limit;
    this.#executionCap = executionCap;
  }

  /** `gasUsed` of the header: the larger of execution gas and state gas. */
  get used(): bigint {
    return maxBigInt(this.#execution, this.#state);
  }

  get execution(): bigint {
    return this.#execution;
  }

  get state(): bigint {
    return this.#state;
  }

  /** Sum of the gas that the transactions so far paid: the cumulative gas of a receipt. */
  get paid(): bigint {
    return this.#paid;
  }

  /** Largest gas limit that the next transaction may have. */
  get available(): bigint {
    const execution = this.#limit - this.#execution;
    const state = this.#limit - this.#state;
    const cap = this.#executionCap;
    return cap !== undefined && execution >= cap ? state : minBigInt(execution, state);
  }

  /** @throws TransactionError when a transaction with this gas limit may exceed the remaining gas */
  expectRoom(gasLimit: bigint): void {
    const execution = minBigInt(gasLimit, this.#executionCap ?? gasLimit);
    if (execution <= this.#limit - this.#execution && gasLimit <= this.#limit - this.#state) return;
    throw new TransactionError('gas limit reached');
  }

  /** Counts an executed transaction. @throws TransactionError when a sum exceeds the block limit, which floor gas can cause */
  add({ gasUsed, blockExecutionGas, blockStateGas }: FinalGas): void {
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
