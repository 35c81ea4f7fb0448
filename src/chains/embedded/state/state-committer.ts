import { compareBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountState, StateChanges, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { StateBatch } from '../store/state-batch.ts';
import { PendingState } from './pending-state.ts';
import { type StaleAccount, StaleAccounts } from './stale-accounts.ts';
import type { StoredStateSource } from './state-source.ts';
import { StateTrie, type TrieChange } from './state-trie.ts';

/**
 * The newest state during an import, with changes that are not in the store yet. Applies the changes of blocks, serves reads of the newest state,
 * computes state roots, and returns the data to write. Blocks execute one by one. Sealing adds the changes of the current block to the batch;
 * discarding removes them.
 */
export class StateCommitter implements StateReader {
  readonly #state: PendingState;
  readonly #trie: StateTrie;
  /** `#staleSealed`: accounts and slots of sealed blocks that are not in the tries, or that leave the tries when the current block is discarded. */
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
   * Applies changes of the current block, whose number `blockNumber` follows the last sealed block. May be called several times per block with
   * different changes. The byte arrays are retained and must not change afterwards.
   */
  apply({ accounts, codes }: StateChanges, blockNumber: bigint): void {
    for (const change of accounts) this.#state.apply(change, Number(blockNumber), this.#stale);
    for (const [hash, code] of codes) this.#state.addCode(hash, code);
  }

  /**
   * Returns the state root after all applied changes. No other method writes changes into the tries, so an import that checks few state roots is
   * faster.
   */
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

  /** Approximate heap size of the changes of sealed blocks, bytes. */
  get size(): number {
    return this.#state.size + this.#trie.size;
  }

  /** Updates the tries and returns all changes of the sealed blocks. Must be called after `sealBlock` or `discardBlock`, when no block is open. */
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
