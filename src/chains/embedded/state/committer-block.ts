import type { AccountState, StateChanges } from '../../../../packages/evm/interpreter/host.ts';
import type { RootedState } from '../../../../packages/evm/transition/execute-block.ts';
import type { StateCommitter } from './state-committer.ts';

/** View of a `StateCommitter` for the execution of one block: reads its newest state and applies the block's changes to it. */
export class CommitterBlock implements RootedState {
  readonly #state: StateCommitter;
  readonly #number: bigint;
  readonly #onApplied: ((changes: StateChanges) => void) | undefined;

  /** @param onApplied called with every set of changes after it was applied */
  constructor(state: StateCommitter, number: bigint, onApplied?: (changes: StateChanges) => void) {
    this.#state = state;
    this.#number = number;
    this.#onApplied = onApplied;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.#state.getAccount(address);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#state.getStorage(address, slot);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return this.#state.getCode(codeHash);
  }

  apply(changes: StateChanges): void {
    this.#state.apply(changes, this.#number);
    this.#onApplied?.(changes);
  }

  computeRoot(): Uint8Array {
    return this.#state.computeRoot();
  }
}
