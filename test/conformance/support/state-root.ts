import { EMPTY_TRIE_ROOT } from '../../../packages/ethereum/primitives/keccak.ts';
import { MerkleTrie } from '../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { FlatAccount, FlatState } from './flat-state.ts';
import { hashHex } from './hash-cache.ts';

/** Root of the trie over everything in `entries`, keyed by the hash of each key (yellow paper 4.1). */
function computeSecureRoot<T>(entries: ReadonlyMap<string, T>, encode: (value: T) => Uint8Array): Uint8Array {
  if (entries.size === 0) return EMPTY_TRIE_ROOT;
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, () => undefined);
  for (const [key, value] of entries) trie.put(hashHex(key), encode(value));
  return trie.commit(() => undefined);
}

function encodeAccount({ nonce, balance, storage, codeHash }: FlatAccount): Uint8Array {
  return encodeRlp([nonce, balance, computeSecureRoot(storage, encodeRlp), codeHash]);
}

export function computeStateRoot({ accounts }: FlatState): Uint8Array {
  return computeSecureRoot(accounts, encodeAccount);
}
