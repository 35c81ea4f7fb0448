import { bytesEqual } from '../../primitives/bytes.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../primitives/keccak.ts';
import { MerkleTrie, type NodeLoader } from '../../primitives/merkle-trie.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import type { NodeSink } from '../../primitives/trie-node.ts';
import { encodeAccount } from './account.ts';
import type { AccountChange, WorldState } from './world-state.ts';

/** Writes changes of state into the state trie and computes its root. */
export class StateTrie {
  readonly #accounts: MerkleTrie;
  readonly #load: NodeLoader;
  readonly #store: NodeSink;

  constructor(root: Uint8Array, load: NodeLoader, store: NodeSink) {
    this.#accounts = new MerkleTrie(root, load);
    this.#load = load;
    this.#store = store;
  }

  /** Root of the state with everything that `world` changed since the last time. */
  apply(world: WorldState): Uint8Array {
    world.flush((change) => this.#applyAccount(change));
    return this.#accounts.commit(this.#store);
  }

  #applyAccount({ address, account, storage }: AccountChange): Uint8Array {
    const key = keccak256(address);
    if (account === undefined) {
      this.#accounts.put(key, new Uint8Array(0));
      return EMPTY_TRIE_ROOT;
    }
    const storageRoot = this.#applyStorage(account.storageRoot, storage);
    this.#accounts.put(key, encodeAccount({ ...account, storageRoot }));
    return storageRoot;
  }

  #applyStorage(root: Uint8Array, changes: AccountChange['storage']): Uint8Array {
    if (changes.length === 0) return root;
    if (bytesEqual(root, EMPTY_TRIE_ROOT) && changes.every(([, value]) => value.length === 0)) return root;
    const trie = new MerkleTrie(root, this.#load);
    for (const [slot, value] of changes) {
      trie.put(keccak256(hexToBytes(slot)), value.length === 0 ? value : encodeRlp(value));
    }
    return trie.commit(this.#store);
  }
}
