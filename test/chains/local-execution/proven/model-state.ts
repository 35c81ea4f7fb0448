import { bigIntToFixedBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  EMPTY_CODE_HASH,
  EMPTY_TRIE_ROOT,
  keccak256,
} from '../../../../packages/ethereum/primitives/keccak.ts';
import { proveKey } from '../../../../packages/ethereum/primitives/merkle-proof.ts';
import { MerkleTrie } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp, type RlpInput } from '../../../../packages/ethereum/primitives/rlp.ts';
import type { StateProofRequest, VerifiedState } from '../../../../packages/proofs/state-proof.ts';

export const addressAt = (index: number): string => bytesToHex(bigIntToFixedBytes(BigInt(index + 1), 20));
export const slotAt = (index: number): string => bytesToHex(bigIntToFixedBytes(BigInt(index), 32));

/** Mutable trie with hashed keys, and Merkle proofs of its current state. */
class ModelTrie {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #trie = new MerkleTrie(EMPTY_TRIE_ROOT, (path) => this.#nodes.get(bytesToHex(path)));
  root: Uint8Array = EMPTY_TRIE_ROOT;

  put(key: string, value: RlpInput): void {
    this.#trie.put(keccak256(hexToBytes(key)), encodeRlp(value));
    this.root = this.#trie.commit((path, encoded) => {
      if (encoded === undefined) this.#nodes.delete(bytesToHex(path));
      else this.#nodes.set(bytesToHex(path), encoded);
    });
  }

  /** Adds the nodes on the path to a key, by hash. */
  prove(key: string, nodes: Map<string, Uint8Array>): void {
    const { nodes: path } = proveKey(keccak256(hexToBytes(key)), (at) => this.#nodes.get(bytesToHex(at)));
    for (const node of path) nodes.set(bytesToHex(keccak256(node)), node);
  }
}

/** Accounts with slots from 0 on, and their proofs in the form that nodes return. */
export class ModelState {
  readonly #state = new ModelTrie();
  readonly #storages = new Map<string, ModelTrie>();
  readonly #words = new Map<string, bigint>();
  readonly #accounts = new Map<string, { readonly balance: bigint; readonly codeHash: Uint8Array }>();

  /** @param words values of the slots from 0 on; a zero is allowed only for a slot that was never set */
  set(address: string, words: readonly bigint[], change = 0n, codeHash: Uint8Array = EMPTY_CODE_HASH): void {
    const storage = this.#storages.get(address) ?? new ModelTrie();
    this.#storages.set(address, storage);
    for (const [index, word] of words.entries()) {
      const name = `${address}/${slotAt(index)}`;
      if (word === 0n || this.#words.get(name) === word) continue;
      this.#words.set(name, word);
      storage.put(slotAt(index), word);
    }
    const balance = BigInt(address) * 10n ** 18n + change;
    this.#accounts.set(address, { balance, codeHash });
    this.#state.put(address, [1n, balance, storage.root, codeHash]);
  }

  get stateRoot(): string {
    return bytesToHex(this.#state.root);
  }

  balanceOf(address: string): bigint | undefined {
    return this.#accounts.get(address)?.balance;
  }

  wordOf(address: string, slot: string): bigint {
    return this.#words.get(`${address}/${slot}`) ?? 0n;
  }

  prove({ address, slots }: StateProofRequest): VerifiedState {
    const nodes = new Map<string, Uint8Array>();
    this.#state.prove(address, nodes);
    const storage = this.#storages.get(address);
    for (const slot of slots) storage?.prove(slot, nodes);
    const account = this.#accounts.get(address);
    const storageRoot = storage?.root ?? EMPTY_TRIE_ROOT;
    return {
      account: account === undefined ? null : { nonce: 1n, storageRoot, ...account },
      words: slots.map((slot) => this.wordOf(address, slot)),
      nodes,
    };
  }
}
