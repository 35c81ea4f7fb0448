import { type BlockAccessList, encodeBlockAccessList } from '../../chain/block-access-list.ts';
import type { Evm } from '../../evm/evm.ts';
import type { StateChanges, StateReader } from '../../evm/host.ts';
import { BlockAccessBuilder } from './block-access-builder.ts';

/** The state that a block is executed on, below the EVM's. */
export interface BlockState extends StateReader {
  /** Takes what execution changed since the last time. */
  apply(changes: StateChanges): void;
}

/** What became of a block's access list. */
export type BuiltAccessList = {
  readonly list: BlockAccessList;
  /** RLP. */
  readonly encoded: Uint8Array;
};

/** Follows the execution of a block part by part, and makes its block access list of what the EVM recorded and changed (EIP-7928). */
export class BlockAccessRecorder {
  readonly #evm: Evm;
  readonly #state: BlockState;
  readonly #builder = new BlockAccessBuilder();
  #index = 0;

  /** @param state the one below `evm` */
  constructor(evm: Evm, state: BlockState) {
    this.#evm = evm;
    this.#state = state;
    evm.record('blockAccesses');
  }

  /** What follows has this index: 0 before the transactions, i + 1 for transaction i, one more for what comes after them. */
  beginIndex(index: number): void {
    this.#index = index;
  }

  /** Notes an account that the protocol itself accesses, changed or not. */
  touch(address: Uint8Array): void {
    this.#builder.touch(address);
  }

  /** A transaction, a system call or the withdrawals are done. None may be open. */
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
