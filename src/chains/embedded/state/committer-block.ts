import type { AccountState, StateChanges } from '../../../../packages/evm/interpreter/host.ts';
import type { RootedState } from '../../../../packages/evm/transition/execute-block.ts';
import type { StateCommitter } from './state-committer.ts';

/** The newest state during the execution of one block on it. */
export class CommitterBlock implements RootedState {
  readonly #state: StateCommitter;
  readonly #number: bigint;
  readonly #onApplied: ((changes: StateChanges) => void) | undefined;

  /** @param onApplied called with each applied change */
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
