import { type BlockAccessList, encodeBlockAccessList } from '../../ethereum/codecs/block-access-list.ts';
import type { Evm } from '../interpreter/evm.ts';
import type { StateChanges, StateReader } from '../interpreter/host.ts';
import { BlockAccessBuilder } from './block-access-builder.ts';

/** The state under the EVM on which a block executes. */
export interface ExecutionState extends StateReader {
  /** Applies the changes that execution made since the last call of `apply`. */
  apply(changes: StateChanges): void;
}

/** A finished block access list. */
export type BuiltAccessList = {
  readonly list: BlockAccessList;
  /** RLP encoding of `list`. */
  readonly encoded: Uint8Array;
};

/** Follows the execution of a block part by part and builds its block access list from EVM records and changes (EIP-7928). */
export class BlockAccessRecorder {
  readonly #evm: Evm;
  readonly #state: ExecutionState;
  readonly #builder = new BlockAccessBuilder();
  #index = 0;

  /** @param state the state under `evm` */
  constructor(evm: Evm, state: ExecutionState) {
    this.#evm = evm;
    this.#state = state;
    evm.record('blockAccesses');
  }

  /** Sets the index of the following accesses: 0 before the transactions, i + 1 for transaction i, and the number of transactions + 1 afterwards. */
  beginIndex(index: number): void {
    this.#index = index;
  }

  /** Adds an account that the protocol itself accesses, changed or not. */
  touch(address: Uint8Array): void {
    this.#builder.touch(address);
  }

  /** Ends a part (a transaction, a system call or the withdrawals). The EVM must have no open transaction. */
  endPart(): void {
    this.#builder.noteAccesses(this.#evm.takeBlockAccesses());
    const changes = this.#evm.state.collectChanges();
    this.#builder.addChanges(this.#index, changes, this.#state);
    this.#state.apply(changes);
  }

  build(): BuiltAccessList {
    const list = this.#builder.build();
    return { list, encoded: encodeBlockAccessList(list) };
  }
}
