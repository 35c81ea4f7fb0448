import { compareBytes } from '../../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../../packages/ethereum/primitives/keccak.ts';
import { sortInSteps } from '../../../../../packages/ethereum/primitives/sort-in-steps.ts';
import type {
  AccountState,
  StateChanges,
  StateReader,
} from '../../../../../packages/evm/interpreter/host.ts';
import { PendingState } from '../../state/pending-state.ts';
import { type StaleAccount, StaleAccounts } from '../../state/stale-accounts.ts';
import type { StoredStateSource } from '../../state/state-source.ts';
import type { StateTrie, TrieChange } from '../../state/state-trie.ts';
import type { ChainReader } from '../../store/chain-reader.ts';
import { type Execution, runSteps } from '../execution.ts';

/** Number of accounts and slots that one step writes into the tries, in about 1 ms. */
const PIECE = 32;
/** Number of addresses that one step hashes, and number of comparisons of hashes per step, in 0.3 ms each. */
const HASHED_PIECE = 128;
const SORTED_PIECE = 1_024;
/** Number of accounts and slots that one step seals, in 0.3 ms. */
const SEALED_PIECE = 128;

/** State after a stored block, with the changes of simulated blocks in memory. The changes are never written to the store. */
export class SimulatedState implements StateReader {
  readonly #state: PendingState;
  readonly #trie: StateTrie;
  readonly #stale = new StaleAccounts();
  #root: Uint8Array;

  /**
   * @param block number of the stored block
   * @param trie tries of the block, into which this state writes its changes
   * @param root state root of the block
   */
  constructor(reader: ChainReader, block: number, trie: StateTrie, root: Uint8Array) {
    this.#state = new PendingState(pinTo(reader, block));
    this.#trie = trie;
    this.#root = root;
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

  /** Approximate heap size of the changes of simulated blocks, bytes. */
  get size(): number {
    return this.#state.size + this.#trie.size;
  }

  /** Applies the changes of simulated block `block`. The byte arrays are retained and must not change afterwards. */
  apply({ accounts, codes }: StateChanges, block: bigint): void {
    for (const change of accounts) this.#state.apply(change, Number(block), this.#stale);
    for (const [hash, code] of codes) this.#state.addCode(hash, code);
  }

  /** Computes the current state root. */
  *computeRoot(): Execution<Uint8Array> {
    const hashed: { readonly stale: StaleAccount; readonly owner: Uint8Array }[] = [];
    for (const stale of this.#stale) {
      hashed.push({ stale, owner: keccak256(stale.address) });
      if (hashed.length % HASHED_PIECE === 0) yield 'sliceUsed';
    }
    const owners = yield* runSteps(
      sortInSteps(hashed, (a, b) => compareBytes(a.owner, b.owner), SORTED_PIECE),
    );
    let waiting: TrieChange[] = [];
    let count = 0;
    for (const { stale, owner } of owners) {
      for (const change of this.#describe(stale, owner)) {
        waiting.push(change);
        count += 1 + change.slots.length;
        if (count < PIECE) continue;
        this.#root = this.#trie.apply(waiting);
        waiting = [];
        count = 0;
        yield 'sliceUsed';
      }
    }
    if (waiting.length > 0) this.#root = this.#trie.apply(waiting);
    this.#stale.clear();
    return this.#root;
  }

  /** Makes the changes of the current block final, after its root has been computed. */
  *seal(block: bigint): Execution<void> {
    yield* runSteps(this.#state.sealSteps(Number(block), SEALED_PIECE));
    this.#trie.seal();
  }

  /** Yields the changes of an account in parts of up to `PIECE` slots. */
  *#describe({ address, isStorageCleared, slots }: StaleAccount, owner: Uint8Array): Generator<TrieChange> {
    const account = this.#state.getStoredAccount(address);
    const all = [...slots.values()];
    for (let at = 0; at === 0 || at < all.length; at += PIECE) {
      const values = all
        .slice(at, at + PIECE)
        .map((slot) => [keccak256(slot), this.#state.getStorage(address, slot)] as const);
      yield {
        owner,
        account,
        isStorageCleared: isStorageCleared && at === 0,
        slots: values.sort((a, b) => compareBytes(a[0], b[0])),
      };
    }
  }
}

/** Returns a view of the store whose state reads are at a block; trie nodes are those of the head. */
function pinTo(reader: ChainReader, block: number): StoredStateSource {
  return {
    findAccount: (address) => reader.findAccount(address, block),
    findSlot: (key) => reader.findSlot(key, block),
    getAccountNode: (path) => reader.getAccountNode(path),
    getStorageNode: (owner, path) => reader.getStorageNode(owner, path),
    getCode: (hash) => reader.getCode(hash),
  };
}
