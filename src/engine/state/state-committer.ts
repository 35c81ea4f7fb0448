import type { AccountState, StateChanges, StateReader } from '../../evm/host.ts';
import { compareBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { StateBatch } from '../../store/state-batch.ts';
import { PendingState } from './pending-state.ts';
import { type StaleAccount, StaleAccounts } from './stale-accounts.ts';
import type { StateSource } from './state-source.ts';
import { StateTrie, type TrieChange } from './state-trie.ts';

/**
 * The newest state, ahead of the store: takes the changes that blocks make, answers what follows from them, computes
 * state roots, and hands over what is to be written. Blocks are executed one by one; the current one belongs to the
 * batch once it is sealed, and leaves no trace when it is discarded.
 */
export class StateCommitter implements StateReader {
  readonly #state: PendingState;
  readonly #trie: StateTrie;
  /** Changes of sealed blocks that the tries do not have, or have from the current block only. */
  readonly #staleSealed = new StaleAccounts();
  readonly #stale = new StaleAccounts();
  #isSealedApplied = false;

  constructor(source: StateSource) {
    this.#state = new PendingState(source);
    this.#trie = new StateTrie(source);
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

  /**
   * Takes what execution changed in block `blockNumber`, which follows the last sealed one, once or several times a
   * block. Byte arrays are kept: they must not change any more.
   */
  apply({ accounts, codes }: StateChanges, blockNumber: bigint): void {
    for (const change of accounts) this.#state.apply(change, Number(blockNumber), this.#stale);
    for (const [hash, code] of codes) this.#state.addCode(hash, code);
  }

  /** The root of the state as it is now. Changes wait until they are asked for here: the rarer, the cheaper. */
  computeRoot(): Uint8Array {
    const stale = new StaleAccounts();
    if (!this.#isSealedApplied) stale.absorb(this.#staleSealed);
    stale.absorb(this.#stale);
    const changes = [...stale].map((account) => this.#describe(account));
    const root = this.#trie.apply(changes.sort((a, b) => compareBytes(a.owner, b.owner)));
    this.#stale.clear();
    this.#isSealedApplied = true;
    return root;
  }

  /** The current block was found right. */
  sealBlock(blockNumber: bigint): void {
    this.#state.seal(Number(blockNumber));
    this.#trie.seal();
    if (this.#isSealedApplied) this.#staleSealed.clear();
    this.#staleSealed.absorb(this.#stale);
    this.#stale.clear();
    this.#isSealedApplied = false;
  }

  /** Forgets the current block. */
  discardBlock(): void {
    this.#state.discard();
    this.#trie.discard();
    this.#stale.clear();
    this.#isSealedApplied = false;
  }

  /** Bytes that the sealed blocks hold. */
  get size(): number {
    return this.#state.size + this.#trie.size;
  }

  /** Everything that the sealed blocks changed, the tries brought up to date. No block may be open. */
  collectBatch(): StateBatch {
    this.computeRoot();
    this.#trie.seal();
    this.#staleSealed.clear();
    this.#isSealedApplied = false;
    return {
      accounts: this.#state.accounts,
      slots: this.#state.slots,
      accountTrie: this.#trie.accountWrites,
      storageTries: this.#trie.storageWrites,
      codes: this.#state.codes,
    };
  }

  /** The store has the batch now. */
  forgetBatch(): void {
    this.#state.clear();
    this.#trie.forgetBatch();
  }

  #describe({ address, isStorageCleared, slots }: StaleAccount): TrieChange {
    const values = [...slots.values()].map(
      (slot) => [keccak256(slot), this.#state.getStorage(address, slot)] as const,
    );
    return {
      owner: keccak256(address),
      account: this.#state.getStoredAccount(address),
      isStorageCleared,
      slots: values.sort((a, b) => compareBytes(a[0], b[0])),
    };
  }
}
