import { compareBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountState, StateChanges, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { StateBatch } from '../store/state-batch.ts';
import { PendingState } from './pending-state.ts';
import { type StaleAccount, StaleAccounts } from './stale-accounts.ts';
import type { StoredStateSource } from './state-source.ts';
import { StateTrie, type TrieChange } from './state-trie.ts';

/**
 * The newest state, ahead of the store. Applies the changes of blocks, serves reads that include them, computes state roots, and returns the data to
 * write. Blocks execute one by one. The current block joins the batch when it is sealed, and leaves no trace when it is discarded.
 */
export class StateCommitter implements StateReader {
  readonly #state: PendingState;
  readonly #trie: StateTrie;
  /** Changes of sealed blocks that are not in the tries, or only together with the current block. */
  readonly #staleSealed = new StaleAccounts();
  readonly #stale = new StaleAccounts();
  #isSealedApplied = false;

  constructor(source: StoredStateSource) {
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
   * Applies changes of block `blockNumber`, which follows the last sealed block. May be called several times per block. The byte arrays are retained
   * and must not change afterwards.
   */
  apply({ accounts, codes }: StateChanges, blockNumber: bigint): void {
    for (const change of accounts) this.#state.apply(change, Number(blockNumber), this.#stale);
    for (const [hash, code] of codes) this.#state.addCode(hash, code);
  }

  /** Computes the current state root. Only this call writes changes into the tries, so fewer calls cost less. */
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

  /** Seals the current block, which must be valid. */
  sealBlock(blockNumber: bigint): void {
    this.#state.seal(Number(blockNumber));
    this.#trie.seal();
    if (this.#isSealedApplied) this.#staleSealed.clear();
    this.#staleSealed.absorb(this.#stale);
    this.#stale.clear();
    this.#isSealedApplied = false;
  }

  /** Discards the current block. */
  discardBlock(): void {
    this.#state.discard();
    this.#trie.discard();
    this.#stale.clear();
    this.#isSealedApplied = false;
  }

  /** Approximate size of the sealed blocks, bytes. */
  get size(): number {
    return this.#state.size + this.#trie.size;
  }

  /** Returns all changes of the sealed blocks, with updated tries. No block may be open. */
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

  /** Clears the batch after it was committed to the store. */
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
